/** The official conformance suite against the shell and the transport alone, without the rest of the gateway. */
import { expect, test } from 'vitest';
import { judgeServer, passed, type Revision } from '../conformance/server-suite.ts';
import { startShell } from './support/shell.ts';

/** An extension of the protocol that is not offered. */
const notOffered = /^tasks-/;

const floors: readonly [Revision, number][] = [
  ['2025-11-25', 80],
  ['2026-07-28', 164],
];

test.for(floors)('the transport passes the checks of %s for a server', { timeout: 120_000 }, async ([revision, floor]) => {
  await using running = await startShell();
  const outcomes = await judgeServer(running.url, revision);
  const broken = outcomes.filter(({ status, scenario }) => /^(?:FAILURE|WARNING)$/.test(status) && !notOffered.test(scenario));
  expect(broken).toEqual([]);
  expect(passed(outcomes).length).toBeGreaterThanOrEqual(floor);
  expect(running.faults).toEqual([]);
});
