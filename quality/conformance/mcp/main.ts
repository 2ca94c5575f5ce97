/** `npm run conformance:mcp`: runs the scenarios of logins, writes the results and the page. With a name: only that scenario, and its problems. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keyOf, mcpPagePath, mcpResultsPath, type McpResults, printMcpPage } from './page.ts';
import { type Outcome, runScenario, startHost, suiteVersion } from './run-scenario.ts';
import { scenarios } from './scenarios.ts';

const root = join(import.meta.dirname, '../../..');
const [, , only] = process.argv;
const outcomes: Record<string, Outcome> = {};
await using host = await startHost();
for (const scenario of scenarios.filter(({ name }) => only === undefined || name === only)) {
  const outcome = await runScenario(host, scenario);
  const key = keyOf(scenario.revision, scenario.name);
  outcomes[key] = outcome;
  console.log(`${key}: ${outcome.passed} passed, ${outcome.problems.length} failed`);
  for (const problem of outcome.problems) console.log(`  ${problem}`);
}
if (only === undefined) {
  const results: McpResults = { suite: await suiteVersion(), outcomes };
  writeFileSync(join(root, mcpResultsPath), `${JSON.stringify(results, undefined, 2)}\n`);
  writeFileSync(join(root, mcpPagePath), `${printMcpPage(results)}\n`);
  execFileSync('oxfmt', [mcpResultsPath, mcpPagePath], { cwd: root });
}
if (Object.values(outcomes).some(({ problems }) => problems.length > 0)) process.exitCode = 1;
