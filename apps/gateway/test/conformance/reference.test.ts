/** The results of the reference server alone: the reference for gateways in front of it. */
import { expect, test } from 'vitest';
import { startReferenceServer } from '../fixtures/reference/http.ts';
import { judgeServer, passed, type Revision } from './server-suite.ts';

/** Optional parts of the protocol that the SDK's server does not support. */
const beyondTheReference = /^(tasks-|http-custom-header-server-validation)/;

const floors: readonly [Revision, number][] = [
  ['2025-11-25', 84],
  ['2026-07-28', 158],
];

test.for(floors)('the reference server passes the checks of %s', { timeout: 60_000 }, async ([revision, floor]) => {
  await using server = await startReferenceServer('both');
  const outcomes = await judgeServer(server.url, revision);
  const broken = outcomes.filter(({ status, scenario }) => !['SUCCESS', 'INFO'].includes(status) && !beyondTheReference.test(scenario));
  expect(broken).toEqual([]);
  expect(passed(outcomes).length).toBeGreaterThanOrEqual(floor);
});
