import fc from 'fast-check';
import { expect, it } from 'vitest';
import { advance, attemptBegan, createInFlightAges, attemptEnded, nextLagAt } from '../../../src/engine/admission/in-flight-ages.ts';
import { countAttempt, countSuccess, createRetryBudget, retriesLeft } from '../../../src/engine/admission/retry-budget.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { type WaitingStep, WaitingWatch } from './waiting-watch.ts';
import { sameDraws } from '../../support/same-draws.ts';

const which = fc.nat(1_000);
const outcome = fc.constantFrom('success', 'transient', 'transient', 'transient', 'permanent', 'neutral');
const hint = fc.option(fc.integer({ min: 1, max: 600 }), { nil: undefined, freq: 8 });
const waitMs = fc.option(fc.constantFrom(100, 1_000, 5_000, 60_000), { nil: undefined, freq: 6 });
const step: fc.Arbitrary<WaitingStep> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({ do: fc.constant('ask' as const), age: fc.constantFrom(0, 0, 500, 5_000), waitMs, retry: fc.boolean() }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('come back' as const), which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('give up' as const), which }) },
  { weight: 7, arbitrary: fc.record({ do: fc.constant('record' as const), which, outcome, hint, limited: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('release' as const), which }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('pass' as const), by: fc.constantFrom(0.5, 1, 10, 100, 700, 3_000) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('order' as const),
      command: fc.constantFrom('auto', 'auto', 'auto', 'forced_open', 'disabled', 'shadow', 'reset'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('hold' as const), by: fc.integer({ min: 1, max: 900 }) }) },
);

it('anyone who waits is woken in the right order, as many as may run, and nobody is forgotten', () => {
  const seen = new Set<string>();
  const draws = [
    fc.array(step, { maxLength: 150, size: 'max' }),
    fc.record({
      limit: fc.constantFrom(1, 3, Infinity),
      order: fc.constantFrom('in_order', 'fresh_first'),
      adaptive: fc.constantFrom(false, {}),
    }),
    fc.constantFrom({}, { rateLimit: { limit: 4, windowMs: 300 } }),
    fc.constantFrom({}, { probes: 3, openGrowth: 2, maxOpenMs: 900, falseAlarmRate: 0.05 }),
  ] as const;
  fc.assert(
    fc.property(...draws, (steps, { limit, order, adaptive }, rateLimit, recovering) => {
      const watch = new WaitingWatch({
        breaker: { failureThreshold: 3, openMs: 100, probeLeaseMs: 70, ...recovering },
        concurrency: { limit, queue: Infinity, order, ...(adaptive && { adaptive: { initialLimit: 3, minLimit: 1, maxLimit: 8 } }) },
        retryBudget: { ratio: 0.5, floor: 20, windowMs: 1_000, of: 'successes' },
        ...rateLimit,
      });
      for (const one of steps) watch.take(one);
      watch.take({ do: 'order', command: 'reset' });
      watch.take({ do: 'order', command: 'auto' });
      watch.drain();
      for (const kind of watch.seen) seen.add(kind);
    }),
    { numRuns: propertyRuns(400), examples: sameDraws(100, ...draws) },
  );
  const all = ['permit', 'probe', 'refused', 'wait:slot', 'wait:recovery', 'wait:retry_after', 'wait:concurrency'];
  expect([...seen]).toEqual(expect.arrayContaining([...all, 'slot_kept', 'probe_kept', 'turned_away']));
});

it('attempts that have been out too long are told from the others, as a list would', () => {
  const events = fc.array(fc.tuple(fc.constantFrom('begin', 'end', 'pass'), fc.nat(500)), { maxLength: 300, size: 'max' });
  fc.assert(
    fc.property(events, (steps) => {
      const ages = createInFlightAges(7);
      const lagMs = 300;
      let out: { readonly place: number; readonly at: number }[] = [];
      let now = 0;
      for (const [what, amount] of steps) {
        if (what === 'begin') for (let nth = 0; nth <= amount % 40; nth += 1) out.push({ place: attemptBegan(ages, now), at: now });
        const [gone] = what === 'end' ? out.splice(amount % Math.max(out.length, 1), 1) : [];
        if (gone) attemptEnded(ages, gone.place);
        if (what === 'pass') now += amount;
        advance(ages, lagMs, now);
        out = [...out];
        expect(ages.lagging).toBe(out.filter(({ at }) => now >= at + lagMs).length);
        const next = Math.min(Infinity, ...out.filter(({ at }) => now < at + lagMs).map(({ at }) => at + lagMs));
        // Never later than it should be: anyone who has ended since may make it earlier.
        expect(nextLagAt(ages, lagMs)).not.toBeGreaterThan(next);
      }
    }),
    { numRuns: propertyRuns(60) },
  );
});

it('a budget of successes allows its floor and its share of them, whatever is attempted', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('call', 'retry', 'success'), { maxLength: 200 }), (steps) => {
      const budget = createRetryBudget({ ratio: 0.5, floor: 3, windowMs: 1_000, of: 'successes' });
      let retries = 0;
      let successes = 0;
      for (const what of steps) {
        if (what === 'success') {
          successes += 1;
          countSuccess(budget, 0);
        } else if (what === 'call' || retriesLeft(budget, 0) > 0) {
          if (what === 'retry') retries += 1;
          countAttempt(budget, what === 'retry', 0);
        }
        expect(retriesLeft(budget, 0)).toBe(Math.ceil(Math.max(0, 3 + 0.5 * successes - retries)));
      }
      expect(retriesLeft(budget, 5_000)).toBe(3);
    }),
  );
});
