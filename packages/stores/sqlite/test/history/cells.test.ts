/** Cells in the file: what was counted is in every series, however it was rolled up since; what is too old is gone. */
import type { Cell } from '@holdfast/core/history';
import { createCell, mergeCell } from '@holdfast/core/internal';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { freshPath } from '../support/paths.ts';
import { cellOf, cellsAt, type Clock, historyAt, nothing, start, tidied } from './batches.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

function sumOf(series: ReadonlyMap<number, Cell>): Cell {
  const total = createCell();
  for (const cell of series.values()) mergeCell(total, cell);
  return total;
}

test('a series is the same before and after it was rolled up, at every step', () => {
  const action = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ toolName: fc.constantFrom('one', 'two'), calls: fc.integer({ min: 1, max: 5 }), ago: fc.nat(4_000) }),
    },
    { weight: 3, arbitrary: fc.record({ pass: fc.constantFrom(700, 9_000, 61_000, 700_000) }) },
    { weight: 2, arbitrary: fc.constant('tidy' as const) },
  );
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      const clock: Clock = { now: start };
      const history = historyAt(':memory:', clock);
      const counted: { readonly toolName: string; readonly at: number; readonly calls: number }[] = [];
      for (const step of actions) {
        if (step === 'tidy') tidied(history);
        else if ('pass' in step) clock.now += step.pass;
        else {
          const at = Math.floor((clock.now - step.ago) / second) * second;
          history.write(cellsAt(step.toolName, at, step.calls));
          counted.push({ toolName: step.toolName, at, calls: step.calls });
        }
      }
      for (const stepMs of [10 * minute, 2 * hour]) {
        const since = Math.floor((start - hour) / stepMs) * stepMs;
        for (const tool of ['one', 'two']) {
          const series = history.series(tool, { since, until: clock.now + stepMs, stepMs });
          const own = counted.filter((each) => each.toolName === tool);
          expect(sumOf(series).counts.first_try).toBe(own.reduce((sum, { calls }) => sum + calls, 0));
          expect(sumOf(series).calls?.count ?? 0).toBe(sumOf(series).counts.first_try);
          for (const at of series.keys()) expect(at % stepMs).toBe(0);
        }
      }
      history.close();
    }),
    { numRuns: 40 },
  );
});

test('each step of a series has what was counted in it', () => {
  const clock: Clock = { now: start };
  const history = historyAt(':memory:', clock);
  for (let at = start; at < start + 30 * minute; at += 7 * second) {
    clock.now = at;
    history.write(cellsAt('work', at, 1));
    if (at % minute === 0) tidied(history);
  }
  tidied(history);
  for (const stepMs of [10 * second, 20 * second, 2 * minute, 10 * minute]) {
    const until = start + 30 * minute;
    const series = history.series('work', { since: start, until, stepMs });
    for (let at = start; at < until; at += stepMs) {
      const expected = Math.ceil((at + stepMs - start) / (7 * second)) - Math.ceil((at - start) / (7 * second));
      expect([stepMs, at - start, series.get(at)?.counts.first_try ?? 0]).toEqual([stepMs, at - start, expected]);
    }
  }
});

test('cells of one second that come in pieces are merged', () => {
  const history = historyAt(':memory:');
  history.write(cellsAt('work', start, 2, 10));
  history.write(cellsAt('work', start, 3, 500));
  const cell = history.series('work', { since: start, until: start + 10 * second, stepMs: 10 * second }).get(start);
  expect(cell).toMatchObject({ counts: { first_try: 5, work_ms: 1_520 }, calls: { count: 5, min: 10, max: 500 } });
  expect(cell?.errors.get('NETWORK_ERROR')).toBe(5);
});

test('late counts are not lost', () => {
  const clock: Clock = { now: start + hour };
  const history = historyAt(':memory:', clock);
  history.write(cellsAt('work', start + hour - minute, 1));
  tidied(history);
  history.write(cellsAt('work', start, 1));
  tidied(history);
  const series = history.series('work', { since: start, until: clock.now + hour, stepMs: hour });
  expect(sumOf(series).counts.first_try).toBe(2);
});

test('late counts are in the first step that is not rolled up', () => {
  const clock: Clock = { now: start + hour };
  const history = historyAt(':memory:', clock);
  history.write(cellsAt('work', start + hour - minute, 1));
  tidied(history);
  history.write(cellsAt('work', start, 2));
  const series = history.series('work', { since: start, until: clock.now, stepMs: 10 * second });
  expect([...series].map(([at, { counts }]) => [at - start, counts.first_try])).toEqual([
    [hour - minute, 1],
    [hour - 10 * second, 2],
  ]);
});

test('a clock that was years ahead and is set back', () => {
  const clock: Clock = { now: start };
  const history = historyAt(':memory:', clock);
  clock.now = start + 3_000 * day;
  tidied(history);
  clock.now = start + minute;
  tidied(history);
  history.write(cellsAt('work', start + minute, 3));
  tidied(history);
  expect(history.series('work', { since: start, until: start + hour, stepMs: minute }).get(start + minute)?.counts.first_try).toBe(3);
});

test('fine steps are deleted when they are rolled up, coarse ones when they are too old', () => {
  const clock: Clock = { now: start };
  const path = freshPath();
  const history = historyAt(path, clock, { retentionDays: 2 });
  for (let at = start; at < start + 20 * minute; at += second) history.write(cellsAt('work', at, 1));
  const rows = (): number => Number(history.series('work', { since: start, until: start + hour, stepMs: second }).size);
  expect(rows()).toBe(1_200);
  clock.now = start + hour;
  for (let round = 0; round < 20; round += 1) tidied(history);
  // Seconds are kept for ten minutes only.
  expect(rows()).toBe(0);
  expect(sumOf(history.series('work', { since: start, until: start + hour, stepMs: 10 * second })).counts.first_try).toBe(1_200);
  clock.now = start + 3 * day;
  for (let round = 0; round < 20; round += 1) tidied(history);
  for (const stepMs of [10 * second, minute, 10 * minute])
    expect(history.series('work', { since: start, until: start + hour, stepMs }).size).toBe(0);
});

test('a thousand tools at once', () => {
  const history = historyAt(freshPath());
  const cells = Array.from({ length: 1_000 }, (_, index) => ({ toolName: `tool-${index}`, at: start, cell: cellOf(index + 1) }));
  history.write({ ...nothing, cells });
  for (const index of [0, 499, 999])
    expect(history.series(`tool-${index}`, { since: start, until: start + second, stepMs: second }).get(start)?.counts.first_try).toBe(
      index + 1,
    );
});
