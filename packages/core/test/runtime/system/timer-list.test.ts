import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TimerHandle } from '../../../src/engine/ports/system.ts';
import type { TimerList } from '../../../src/runtime/system/timer-list.ts';
import { createTimerList } from '../../../src/runtime/system/timer-list.ts';

const LONGEST = 2 ** 31 - 1;

/** A manual platform alarm; may fire early, as platforms do. */
class Bell {
  now = 0;
  ringAt = Number.POSITIVE_INFINITY;
  isIdle = true;
  readonly list: TimerList = createTimerList(() => this.now, {
    setFor: (delayMs) => {
      if (!(delayMs >= 0 && delayMs <= LONGEST)) throw new Error(`an alarm of ${delayMs} ms`);
      this.ringAt = this.now + delayMs;
    },
    setIdle: (isIdle) => void (this.isIdle = isIdle),
  });

  /** Advances time, firing whenever the alarm is due. */
  pass(milliseconds: number): void {
    const end = this.now + milliseconds;
    while (this.ringAt <= end) {
      this.now = Math.max(this.now, this.ringAt);
      this.ringAt = Number.POSITIVE_INFINITY;
      this.list.ring();
    }
    this.now = end;
  }
}

interface Modelled {
  readonly dueAt: number;
  readonly order: number;
  readonly background: boolean;
  readonly handle: TimerHandle;
}

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('set' as const),
      delay: fc.constantFrom(0, 1, 1, 5, 5, 10, 100, 1_000, 3_000_000_000, -3),
      background: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('clear' as const), which: fc.nat(100) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pass' as const), by: fc.constantFrom(0, 1, 4, 5, 50, 2_000, 2_000_000_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('ring early' as const) }) },
);

it('fires every timer once, at its time, in order, and keeps the process alive only for timers that require it', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80, size: 'max' }), (steps) => {
      const bell = new Bell();
      const model = new Map<number, Modelled>();
      const fired: number[] = [];
      let order = 0;
      for (const event of steps) {
        if (event.do === 'set') {
          const mine = order;
          order += 1;
          const dueAt = bell.now + Math.max(event.delay, 0);
          const fire = (): void => {
            if (bell.now < dueAt) throw new Error('too early');
            fired.push(mine);
          };
          model.set(mine, { dueAt, order: mine, background: event.background, handle: bell.list.set(event.delay, fire, event.background) });
        } else if (event.do === 'clear') {
          const [number, timer] = [...model][event.which % Math.max(model.size, 1)] ?? [];
          if (timer && number !== undefined) {
            bell.list.clear(timer.handle);
            bell.list.clear(timer.handle);
            model.delete(number);
          }
        } else if (event.do === 'pass') {
          bell.pass(event.by);
          const due = [...model.values()]
            .filter(({ dueAt }) => dueAt <= bell.now)
            .toSorted((a, b) => a.dueAt - b.dueAt || a.order - b.order);
          const expected = due.map((timer) => timer.order).join();
          if (fired.splice(0).join() !== expected) throw new Error(`not ${expected}`);
          for (const timer of due) model.delete(timer.order);
        } else {
          const due = [...model.values()].some(({ dueAt }) => dueAt <= bell.now);
          if (!due) bell.list.ring();
          if (fired.length > 0) throw new Error('rang too early, and fired');
        }
        expect(bell.list.size).toBe(model.size);
        expect(bell.isIdle).toBe([...model.values()].every(({ background }) => background));
      }
    }),
    { numRuns: 500 },
  );
});

describe('while firing', () => {
  it('a timer cleared by another does not fire', () => {
    const bell = new Bell();
    const fired: string[] = [];
    bell.list.set(10, () => {
      fired.push('first');
      bell.list.clear(second);
    });
    const second = bell.list.set(10, () => void fired.push('second'));
    bell.pass(10);
    expect(fired).toEqual(['first']);
    expect(bell.list.size).toBe(0);
  });

  it('a timer set by another fires at its own time', () => {
    const bell = new Bell();
    const fired: number[] = [];
    bell.list.set(10, () => void bell.list.set(5, () => void fired.push(bell.now)));
    bell.pass(14);
    expect(fired).toEqual([]);
    bell.pass(1);
    expect(fired).toEqual([15]);
  });

  it('one that throws does not affect the others', () => {
    const bell = new Bell();
    const fired: string[] = [];
    bell.list.set(1, () => {
      throw new Error('first');
    });
    bell.list.set(1, () => void fired.push('second'));
    bell.list.set(2, () => void fired.push('third'));
    for (let ring = 0; ring < 3; ring++) {
      try {
        bell.pass(1);
      } catch {
        bell.now += 1;
      }
    }
    bell.pass(10);
    expect(fired).toEqual(['second', 'third']);
  });
});

it('an invalid delay blocks no other timer', () => {
  const bell = new Bell();
  const fired: string[] = [];
  bell.list.set(Number.NaN, () => undefined);
  bell.list.set(5, () => void fired.push('after'));
  bell.pass(10);
  expect(fired).toEqual(['after']);
});

it('holds 100,000 timers', () => {
  const bell = new Bell();
  let count = 0;
  const handles = Array.from({ length: 100_000 }, (_, index) => bell.list.set((index * 7_919) % 1_000, () => void (count += 1)));
  for (const [index, handle] of handles.entries()) if (index % 2 === 0) bell.list.clear(handle);
  bell.pass(1_000);
  expect(count).toBe(50_000);
});
