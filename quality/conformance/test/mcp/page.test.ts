/** The page matches what the results print, of the installed suite, and nothing has failed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { normalize } from '../../../../tools/docs/page.ts';
import { keyOf, mcpPagePath, mcpResultsPath, type McpResults, printMcpPage } from '../../mcp/page.ts';
import { suiteVersion } from '../../mcp/run-scenario.ts';
import { scenarios } from '../../mcp/scenarios.ts';

const root = join(import.meta.dirname, '../../../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const results = JSON.parse(read(mcpResultsPath)) as McpResults;

test(`${mcpPagePath} is what \`npm run conformance:mcp\` prints`, () => {
  expect(normalize(read(mcpPagePath))).toBe(normalize(printMcpPage(results)));
});

test('every scenario of the installed suite was run, and passed', async () => {
  expect(results.suite).toBe(await suiteVersion());
  expect(Object.keys(results.outcomes).toSorted()).toEqual(scenarios.map(({ name, revision }) => keyOf(revision, name)).toSorted());
  for (const [key, { problems, passed }] of Object.entries(results.outcomes)) {
    expect(problems, key).toEqual([]);
    expect(passed, key).toBeGreaterThan(0);
  }
});
