/** The scenarios of logins, run again: each passes as many checks as the page says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keyOf, type McpResults } from '../../mcp/page.ts';
import { runScenario } from '../../mcp/run-scenario.ts';
import { scenarios } from '../../mcp/scenarios.ts';

const results = JSON.parse(readFileSync(join(import.meta.dirname, '../../mcp/results.json'), 'utf8')) as McpResults;

// A busy machine needs a long time to start a gateway; the suite would end the gateway that it waits for.
test.concurrent.for(scenarios)('$revision: $name', { timeout: 120_000 }, async (scenario) => {
  const { problems, passed } = await runScenario(scenario);
  expect(problems).toEqual([]);
  // How often a request is repeated differs from run to run, and with it the number of checks.
  expect(passed).toBeGreaterThan((results.outcomes[keyOf(scenario.revision, scenario.name)]?.passed ?? 0) / 2);
});
