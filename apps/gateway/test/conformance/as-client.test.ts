/** The conformance suite's servers behind a gateway, which is their client. The scenarios with authorization are in `quality/conformance/mcp`. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Host, startHost } from './host.ts';
import { passed, runConformance } from './server-suite.ts';

let host: Host;
beforeAll(async () => {
  host = await startHost();
});
afterAll(async () => {
  await host[Symbol.asyncDispose]();
});

/** Each with the number of checks that it makes. */
const scenarios: readonly (readonly [revision: string, scenario: string, checks: number])[] = [
  ['2025-11-25', 'initialize', 1],
  ['2025-11-25', 'tools_call', 2],
  ['2025-11-25', 'elicitation-sep1034-client-defaults', 5],
  ['2025-11-25', 'sse-retry', 3],
  ['2026-07-28', 'tools_call', 2],
  ['2026-07-28', 'request-metadata', 8],
  ['2026-07-28', 'sep-2322-client-request-state', 5],
  ['2026-07-28', 'http-standard-headers', 9],
  ['2026-07-28', 'http-custom-headers', 18],
  ['2026-07-28', 'http-invalid-tool-headers', 12],
  ['2026-07-28', 'json-schema-ref-no-deref', 1],
  ['2026-07-28', 'json-schema-2020-12-preservation', 1],
];

/**
 * Expected failures with their reasons; an expected failure that passes fails the test as well.
 */
const expectedFailures: readonly string[] = [];

test.concurrent.for(scenarios)('%s: %s', { timeout: 120_000 }, async ([revision, scenario, checks]) => {
  // A busy machine needs a long time; the suite would end the client that it waits for.
  const options = ['--command', host.command, '--scenario', scenario, '--spec-version', revision, '--timeout', '110000'];
  const outcomes = await runConformance('client', options);
  const broken = outcomes.filter(({ status }) => status === 'FAILURE' || status === 'WARNING').map(({ key }) => key);
  const expected = expectedFailures.filter((key) => key.startsWith(`${scenario}:`));
  expect(broken).toEqual(expected);
  expect(passed(outcomes).length).toBeGreaterThanOrEqual(checks - expected.length);
});
