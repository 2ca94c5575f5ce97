/** A history that one process begins and another continues: together they count what one process would have counted. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Cell, createCell, mergeCell } from '../../../src/projections/history/cell.ts';
import type { ClusterRecord } from '../../../src/projections/history/records.ts';
import { createHistory, type HistoryBatch } from '../../../src/projections/history/history.ts';
import { mergeClusters } from '../../../src/projections/history/merge-clusters.ts';
import type { TraceEvent } from '../../../src/engine/trace/events.ts';
import { anyScene, play } from './scenes.ts';

/** Sums of milliseconds with fractions differ in their last digits with the order of addition: they are compared to a millionth. */
const rounded = (sum: number): number => Math.round(sum * 1e6) / 1e6;
const total = (times?: { count: number; sum: number }) => times && [times.count, rounded(times.sum)];

function sumOf(batches: readonly HistoryBatch[]) {
  const cells = new Map<string, Cell>();
  const clusters = new Map<string, ClusterRecord>();
  const turns = new Map<string, unknown>();
  for (const batch of batches) {
    for (const { toolName: tool, at, cell } of batch.cells) {
      const sum = cells.get(`${at} ${tool}`) ?? createCell();
      mergeCell(sum, cell);
      cells.set(`${at} ${tool}`, sum);
    }
    for (const { examples: _, ...added } of batch.clusters) {
      const known = clusters.get(added.signature);
      clusters.set(added.signature, known ? mergeClusters(known, { ...added, examples: [] }) : { ...added, examples: [] });
    }
    for (const turn of batch.turns) turns.set(`${turn.turn_id} ${turn.started_at}`, turn);
  }
  const counts = [...cells].map(([key, { counts: numbers, denied, errors, calls, attempts }]) => [
    key,
    {
      numbers: Object.entries(numbers).map(([name, sum]) => [name, rounded(sum)]),
      denied,
      errors,
      calls: total(calls),
      attempts: total(attempts),
    },
  ]);
  return { cells: Object.fromEntries(counts), clusters: Object.fromEntries(clusters), turns: Object.fromEntries(turns) };
}

it('a process that takes over and recalls the earlier events of its turns counts exactly the rest', async () => {
  await fc.assert(
    fc.asyncProperty(anyScene, fc.nat(200), async (options, cut) => {
      const { events } = await play(options);
      const place = cut % (events.length + 1);
      const alone = createHistory();
      for (const event of events) alone.observe(event);

      const first = createHistory();
      for (const event of events.slice(0, place)) first.observe(event);
      const before = first.take();
      const second = createHistory({ clusters: before.clusters });
      const unknown = (event: TraceEvent): boolean => event.seq > 1 && !second.knowsTurn(event.turn_id);
      for (const event of events.slice(place)) {
        if (unknown(event))
          for (const earlier of events) if (earlier.turn_id === event.turn_id && earlier.seq < event.seq) second.recall(earlier);
        second.observe(event);
      }
      expect(sumOf([before, second.take()])).toEqual(sumOf([alone.take()]));
    }),
    { numRuns: 100 },
  );
});

it('recalled events are not counted or reported', async () => {
  const { events, now } = await play({ outcomes: { work: ['down', 'wrong'] }, calls: ['work', 'work'] });
  const history = createHistory();
  for (const event of events) history.recall(event);
  expect(history.take()).toEqual({ cells: [], turns: [], circuitChanges: [], clusters: [], failures: [], slowCalls: [] });
  expect(history.takeChanges()).toEqual([]);
  expect([history.recentTurns(now), history.lastFailure('work')]).toEqual([{ turns: 0, deadlinesMissed: 0 }, undefined]);
  expect(history.turn(events[0]?.turn_id ?? '')?.outcome).toBe('failed');
});
