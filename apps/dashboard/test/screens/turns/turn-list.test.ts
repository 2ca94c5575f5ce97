import type { TurnItem } from '@holdfast/gateway/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  durationOf,
  describeFilter,
  isFiltered,
  keyOf,
  mergeHead,
  mergeTail,
  queryOf,
  toolsOf,
  troubleOf,
  turnsShape,
} from '../../../src/screens/turns/turn-list.model.ts';
import { readState, writeState } from '../../../src/data/url-state.ts';

const turn = (run: number, more: Partial<TurnItem> = {}): TurnItem => ({
  turn_id: `t${run}`,
  run,
  started_at: '2026-01-01T00:00:00.000Z',
  state: 'completed',
  outcome: 'success',
  calls: 1,
  events: 6,
  ...more,
});
const keysOf = (turns: readonly TurnItem[]): ReadonlySet<string> => new Set(turns.map(keyOf));
const facts = {
  tools: [],
  codes: [],
  duration_ms: 0,
  retries: 0,
  failed_calls: 0,
  skipped_calls: 0,
  waited_ms: 0,
  used_alternative: false,
  deadline_missed: false,
  repaired: false,
};

describe('the filters of turns', () => {
  const none = readState(turnsShape, '');

  it('are translated from the URL to the gateway query', () => {
    const filter = readState(turnsShape, '?outcome=failed&tool=a%20b&retried=1&q=trip');
    expect(Object.fromEntries(queryOf(filter))).toEqual({ outcome: 'failed', tool_id: 'a b', retried: 'true', q: 'trip' });
    expect(describeFilter(filter)).toBe('turns: failed, tool a b, retried and text “trip”');
  });

  it('send a state as the state parameter', () => {
    expect(Object.fromEntries(queryOf({ ...none, outcome: 'running' }))).toEqual({ state: 'running' });
  });

  it('are empty if the URL has none or invalid ones', () => {
    expect(isFiltered(none)).toBe(false);
    expect(isFiltered(readState(turnsShape, '?outcome=nonsense&retried=maybe&tool='))).toBe(false);
    expect(describeFilter(none)).toBe('all turns');
  });

  it('round-trip through the URL', () => {
    const text = fc.string({ maxLength: 12 });
    fc.assert(
      fc.property(fc.record({ tool: text, code: text, q: text, retried: fc.boolean(), repaired: fc.boolean() }), (change) => {
        expect(readState(turnsShape, writeState(turnsShape, '', change))).toEqual({ ...none, ...change });
      }),
    );
  });
});

describe('new turns', () => {
  it('are added on top, and known ones are updated in place', () => {
    const known = [turn(2, { state: 'running' }), turn(1)];
    const { turns, held, gap } = mergeHead(known, [turn(3), turn(2), turn(1)], false, keysOf(known));
    expect(turns.map(({ run, state }) => [run, state])).toEqual([
      [3, 'completed'],
      [2, 'completed'],
      [1, 'completed'],
    ]);
    expect([held, gap]).toEqual([0, false]);
  });

  it('are only counted while the list is on hold', () => {
    const known = [turn(1)];
    const { turns, held } = mergeHead(known, [turn(3), turn(2), turn(1)], true, keysOf(known));
    expect([turns.length, held]).toEqual([1, 2]);
  });

  it('leave a gap if the page does not reach the known turns', () => {
    expect(mergeHead([turn(1)], [turn(9), turn(8)], false, keysOf([turn(1)])).gap).toBe(true);
    expect(mergeHead([], [turn(9), turn(8)], false, new Set()).gap).toBe(false);
  });

  it('never cause duplicates, whatever pages arrive in any order', () => {
    const page = fc.uniqueArray(fc.nat(30), { maxLength: 12 }).map((runs) => runs.toSorted((a, b) => b - a).map((run) => turn(run)));
    const step = fc.record({ page, head: fc.boolean(), hold: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        let turns: readonly TurnItem[] = [];
        for (const { page: next, head, hold } of steps)
          turns = head ? mergeHead(turns, next, hold, keysOf(turns)).turns : mergeTail(turns, next, keysOf(turns));
        expect(new Set(turns.map(keyOf)).size).toBe(turns.length);
      }),
    );
  });
});

describe('a row', () => {
  it('describes the outcome as far as it is known', () => {
    expect(troubleOf(turn(1))).toEqual([]);
    expect(troubleOf(turn(1, { facts: { ...facts, failed_calls: 2, retries: 1, used_alternative: true } }))).toEqual([
      '2 failed',
      '1\u00A0retry',
      'alternative',
    ]);
    expect(troubleOf(turn(1, { facts: { ...facts, waited_ms: 421 } }))).toEqual(['waited 421\u00A0ms']);
    expect(toolsOf(turn(1, { facts: { ...facts, tools: ['a', 'b', 'c', 'd'] } }))).toBe('a, b and 2 more');
    expect(toolsOf(turn(1, { calls: 3 }))).toBe('3\u00A0calls');
  });

  it('shows the duration', () => {
    expect(durationOf(turn(1, { ended_at: '2026-01-01T00:00:02.500Z' }))).toBe('2.5\u00A0s');
    expect(durationOf(turn(1, { facts: { ...facts, duration_ms: 12 } }))).toBe('12\u00A0ms');
    expect(durationOf(turn(1, { state: 'running' }))).toBe('…');
    expect(durationOf(turn(1))).toBe('–');
  });
});
