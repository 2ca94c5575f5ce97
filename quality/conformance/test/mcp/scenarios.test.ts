/** The scenarios of logins, run again: each passes as many checks as the page says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keyOf, type McpResults } from '../../mcp/page.ts';
import { type Host, runScenario, startHost } from '../../mcp/run-scenario.ts';
import { scenarios } from '../../mcp/scenarios.ts';

const results = JSON.parse(readFileSync(join(import.meta.dirname, '../../mcp/results.json'), 'utf8')) as McpResults;

let host: Host;
beforeAll(async () => {
  host = await startHost();
});
afterAll(async () => {
  await host[Symbol.asyncDispose]();
});

// A busy machine needs a long time; the suite would end the client that it waits for.
test.concurrent.for(scenarios)('$revision: $name', { timeout: 120_000 }, async (scenario) => {
  const { problems, passed } = await runScenario(host, scenario);
  expect(problems).toEqual([]);
  // How often a request is repeated differs from run to run, and with it the number of checks.
  expect(passed).toBeGreaterThan((results.outcomes[keyOf(scenario.revision, scenario.name)]?.passed ?? 0) / 2);
});
