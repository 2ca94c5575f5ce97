/** The official conformance suite against the shell and the front alone: what fails here is theirs, not a face's behind them. */
import { expect, test } from 'vitest';
import { judgeServer, passed, type Revision } from '../conformance/server-suite.ts';
import { startShell } from './support/shell.ts';

/** Parts of the protocol that are a server's choice: the tasks extension, and ending a stream so that its client polls. */
const notOffered = /^(?:tasks-|server-sse-polling)/;

const floors: readonly [Revision, number][] = [
  ['2025-11-25', 80],
  ['2026-07-28', 164],
];

test.for(floors)('the front passes what %s asks of a server', { timeout: 120_000 }, async ([revision, floor]) => {
  await using running = await startShell();
  const outcomes = await judgeServer(running.url, revision);
  const broken = outcomes.filter(({ status, scenario }) => status !== 'SUCCESS' && !notOffered.test(scenario));
  expect(broken).toEqual([]);
  console.log(
    revision,
    passed(outcomes).length,
    outcomes.filter((o) => o.status !== 'SUCCESS').map((o) => o.key),
  );
  expect(passed(outcomes).length).toBeGreaterThanOrEqual(floor);
  expect(running.faults).toEqual([]);
});
