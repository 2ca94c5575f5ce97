import { describe, expect, test } from 'vitest';
import { applyMessage } from '../../src/data/live-state.ts';
import { alert, message, overview, tile, totals, turn } from '../fixtures.ts';

const change = (id: number) => ({ id, at: '2026-01-01T00:00:00.000Z', kind: 'tool_added' as const, text: `change ${id}` });

describe('applyMessage', () => {
  test('takes the cursor, time and totals from the message', () => {
    const next = applyMessage(overview(), message({ cursor: 'a-9', totals: totals({ tools: 3 }) }));
    expect([next.cursor, next.at, next.totals.tools]).toEqual(['a-9', '2026-01-01T00:00:01.000Z', 3]);
  });

  test('keeps the same objects for parts that the message does not contain', () => {
    const known = overview({ tools: [tile('a'), tile('b')], changes: [change(1)], alerts: [alert('x')], turns: [turn('t')] });
    const next = applyMessage(known, message());
    expect(next.tools).toBe(known.tools);
    expect(next.changes).toBe(known.changes);
    expect(next.alerts).toBe(known.alerts);
    expect(next.turns).toBe(known.turns);
    const changed = applyMessage(known, message({ tools: [tile('b', { in_flight: 2 })] }));
    expect(changed.tools[0]).toBe(known.tools[0]);
    expect(changed.tools[1]?.in_flight).toBe(2);
  });

  test('moves a tool that starts to fail to the front', () => {
    const known = overview({ tools: [tile('a'), tile('b'), tile('c')] });
    const next = applyMessage(known, message({ tools: [tile('c', { status: 'failing' }), tile('b', { status: 'recovering' })] }));
    expect(next.tools.map(({ name }) => name)).toEqual(['c', 'b', 'a']);
  });

  test('adds new tools and drops removed ones', () => {
    const next = applyMessage(overview({ tools: [tile('a'), tile('b')] }), message({ tools: [tile('c')], removed_tools: ['a'] }));
    expect(next.tools.map(({ name }) => name)).toEqual(['b', 'c']);
  });

  test('keeps a tool that one message both removes and adds', () => {
    const next = applyMessage(overview({ tools: [tile('a')] }), message({ tools: [tile('a', { queued: 1 })], removed_tools: ['a'] }));
    expect(next.tools.map(({ queued }) => queued)).toEqual([1]);
  });

  test('discards everything that a reset message does not contain', () => {
    const known = overview({ tools: [tile('a')], changes: [change(7)], alerts: [alert('x')], turns: [turn('t')] });
    const next = applyMessage(known, message({ reset: true, tools: [tile('b')], changes: [change(1)] }));
    expect(next.tools.map(({ name }) => name)).toEqual(['b']);
    expect(next.changes.map(({ id }) => id)).toEqual([1]);
    expect([next.alerts, next.turns]).toEqual([[], []]);
  });

  test('is idempotent', () => {
    const news = message({ tools: [tile('a')], changes: [change(2)], turns: [turn('t')] });
    const once = applyMessage(overview({ changes: [change(1)] }), news);
    expect(applyMessage(once, news)).toEqual(once);
  });

  test('keeps the 50 newest changes, newest first', () => {
    const known = overview({ changes: Array.from({ length: 50 }, (_, index) => change(50 - index)) });
    const next = applyMessage(known, message({ changes: [change(51), change(52)] }));
    expect(next.changes.map(({ id }) => id).slice(0, 3)).toEqual([52, 51, 50]);
    expect([next.changes.length, next.changes.at(-1)?.id]).toEqual([50, 3]);
  });

  test('replaces alerts if the message has any list of them, even an empty one', () => {
    const known = overview({ alerts: [alert('x')] });
    expect(applyMessage(known, message({ alerts: [] })).alerts).toEqual([]);
    expect(applyMessage(known, message({ alerts: [alert('y')] })).alerts.map(({ fingerprint }) => fingerprint)).toEqual(['y']);
  });

  test('updates a known turn in place, puts a new one first, keeps twenty', () => {
    const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
    const known = overview({
      turns: Array.from({ length: 20 }, (_, index) => turn(`t${index}`, { started_at: at(40 - index), state: 'running' })),
    });
    const next = applyMessage(
      known,
      message({ turns: [turn('new', { started_at: at(50) }), turn('t3', { started_at: at(37), outcome: 'failed' })] }),
    );
    expect(next.turns.map(({ turn_id }) => turn_id).slice(0, 5)).toEqual(['new', 't0', 't1', 't2', 't3']);
    expect(next.turns[4]?.outcome).toBe('failed');
    expect(next.turns).toHaveLength(20);
  });
});
