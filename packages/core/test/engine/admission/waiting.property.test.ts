import fc from 'fast-check';
import { expect, it } from 'vitest';
import { propertyRuns } from '../../support/property-runs.ts';
import { sameDraws } from '../../support/same-draws.ts';
import { type WaitingStep, WaitingWatch } from './waiting-watch.ts';

const which = fc.nat(1_000);
const outcome = fc.constantFrom('success', 'transient', 'transient', 'transient', 'permanent', 'neutral');
const hint = fc.option(fc.integer({ min: 1, max: 20_000 }), { nil: undefined, freq: 8 });
const waitMs = fc.option(fc.constantFrom(100, 1_000, 5_000, 60_000), { nil: undefined, freq: 6 });
const failed = fc.option(
  fc.record({ startedAt: fc.integer({ min: 0, max: 100_000 }), timedOut: fc.boolean(), unknown: fc.boolean(), down: fc.boolean() }),
  {
    nil: undefined,
    freq: 2,
  },
);
const step: fc.Arbitrary<WaitingStep> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ do: fc.constant('ask' as const), age: fc.constantFrom(0, 0, 500, 5_000, 40_000), waitMs, failed }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('come back' as const), which, refused: fc.constantFrom(false, false, true) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('give up' as const), which }) },
  { weight: 7, arbitrary: fc.record({ do: fc.constant('record' as const), which, outcome, hint, timedOut: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('release', 'release', 'release', 'return', 'orphan'), which }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      by: fc.constantFrom(0.5, 1, 10, 100, 700, 3_000, 30_000),
      look: fc.constantFrom(0.1, 0.5, 0.999),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('order' as const),
      command: fc.constantFrom('auto', 'auto', 'auto', 'forced_open', 'disabled', 'shadow', 'reset'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.record({ do: fc.constant('hold' as const), by: fc.integer({ min: 1, max: 900 }) }),
      fc.record({ do: fc.constant('limit' as const), limit: fc.integer({ min: 1, max: 4 }) }),
      fc.record({ do: fc.constantFrom('switch' as const, 'restart' as const) }),
      fc.record({
        do: fc.constant('fleet' as const),
        opens: fc.boolean(),
        openForMs: fc.integer({ min: 1, max: 5_000 }),
        probed: fc.boolean(),
      }),
    ),
  },
);

it('every waiting call is woken when it is due and by the end of its wait, whatever happens at the gate', () => {
  const seen = new Set<string>();
  const draws = [
    fc.array(step, { maxLength: 150, size: 'max' }),
    fc.constantFrom({}, { concurrency: { limit: 1, queue: Infinity } }, { concurrency: { limit: 3, queue: Infinity } }),
    fc.constantFrom({}, {}, { rateLimit: { limit: 4, windowMs: 300 } }),
    fc.constantFrom({}, {}, { retryBudget: { ratio: 0.5, floor: 2, windowMs: 1_000 } }),
    fc.constantFrom({ breaker: { failureThreshold: 3, openMs: 100, probeLeaseMs: 70 } }, { breaker: {} }, { breaker: false } as const),
  ] as const;
  fc.assert(
    fc.property(...draws, (steps, concurrency, rateLimit, retryBudget, breaker) => {
      const watch = new WaitingWatch({ ...breaker, ...concurrency, ...rateLimit, ...retryBudget, waitForRecovery: true });
      for (const one of steps) watch.take(one);
      watch.take({ do: 'order', command: 'reset' });
      watch.take({ do: 'order', command: 'auto' });
      watch.drain();
      for (const kind of watch.seen) seen.add(kind);
    }),
    { numRuns: propertyRuns(200), examples: sameDraws(100, ...draws) },
  );
  const waits = ['slot', 'recovery', 'retry_after', 'retry_budget', 'concurrency'].map((reason) => `wait:${reason}`);
  expect([...seen]).toEqual(expect.arrayContaining(['permit', 'probe', 'refused', ...waits, 'slot_kept', 'probe_kept', 'turned_away']));
});
