import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAgenda } from '../../../../src/runtime/drivers/virtual/agenda.ts';

describe('an agenda', () => {
  it('runs tasks by time, then rank, then in the order they were set', () => {
    const agenda = createAgenda(10);
    const order: string[] = [];
    const tell = (name: string) => () => void order.push(`${name} ${agenda.now()}`);
    agenda.at(30, tell('late'));
    agenda.at(20, tell('first'));
    agenda.at(20, tell('third'), 1);
    agenda.at(20, tell('second'));
    agenda.at(20, tell('before all'), -1);
    // Set for the past: runs at once.
    agenda.at(5, tell('past'));
    agenda.run();
    expect(order).toEqual(['past 10', 'before all 20', 'first 20', 'second 20', 'third 20', 'late 30']);
    expect(agenda.step()).toBe(false);
  });

  it('takes one step at a time, and stops on request', () => {
    const agenda = createAgenda();
    const times: number[] = [];
    for (const time of [3, 1, 2]) agenda.at(time, () => times.push(agenda.now()));
    expect(agenda.step()).toBe(true);
    expect(times).toEqual([1]);
    agenda.run(() => times.length === 2);
    expect(times).toEqual([1, 2]);
    agenda.run();
    expect(times).toEqual([1, 2, 3]);
  });

  it('runs the remaining tasks in order, after any changes, even thousands', () => {
    const task = fc.record({ time: fc.integer({ min: 0, max: 500 }), rank: fc.constantFrom(0, 0, 0, -1, 1), cancelled: fc.boolean() });
    fc.assert(
      fc.property(fc.array(task, { maxLength: 60 }), fc.constantFrom(1, 60), (tasks, copies) => {
        const agenda = createAgenda();
        const ran: number[] = [];
        const all = Array.from({ length: copies }, () => tasks).flat();
        const handles = all.map(({ time, rank }, index) => agenda.at(time, () => ran.push(index), rank));
        for (const [index, { cancelled }] of all.entries()) if (cancelled) agenda.cancel(handles[index] as (typeof handles)[number]);
        agenda.run();
        const expected = all
          .map((each, index) => ({ ...each, index }))
          .filter(({ cancelled }) => !cancelled)
          .toSorted((a, b) => a.time - b.time || a.rank - b.rank || a.index - b.index);
        expect(ran).toEqual(expected.map(({ index }) => index));
        // A task that has run can no longer be cancelled.
        for (const handle of handles) agenda.cancel(handle);
        expect(agenda.step()).toBe(false);
      }),
    );
  });

  it('runs no task that was cancelled by a task of the same time', () => {
    const agenda = createAgenda();
    const order: string[] = [];
    agenda.at(1, () => agenda.cancel(other));
    const other = agenda.at(1, () => order.push('other'));
    agenda.run();
    expect(order).toEqual([]);
  });
});
