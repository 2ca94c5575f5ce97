import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type GateStep, GateWatch } from './gate-watch.ts';
import { sameDraws } from '../../support/same-draws.ts';

const which = fc.nat(1_000);
const outcome = fc.constantFrom('success', 'success', 'transient', 'transient', 'permanent', 'neutral');
const hint = fc.option(fc.integer({ min: 1, max: 300 }), { nil: undefined, freq: 8 });
const step: fc.Arbitrary<GateStep> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ do: fc.constant('ask' as const), retry: fc.boolean() }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('come back' as const), which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('give up' as const), which }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('record' as const), which, outcome, hint }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom('release', 'release', 'return', 'orphan'), which }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pass' as const), by: fc.constantFrom(-3, 1, 10, 50, 100, 1_000) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('order' as const),
      command: fc.constantFrom('auto', 'auto', 'auto', 'forced_open', 'disabled', 'shadow', 'reset'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('hold' as const), by: fc.integer({ min: 1, max: 200 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('limit' as const), limit: fc.integer({ min: 1, max: 4 }) }) },
);

it('keeps its promises to a driver that does anything in any order', () => {
  const seen = new Set<string>();
  const draws = [
    fc.array(step, { maxLength: 150, size: 'max' }),
    fc.record({ limit: fc.integer({ min: 1, max: 3 }), queue: fc.nat(4) }),
    fc.option(fc.constant({ limit: 6, windowMs: 100 }), { nil: undefined }),
    fc.option(fc.constant({ ratio: 0.2, floor: 2, windowMs: 500 }), { nil: undefined }),
  ] as const;
  fc.assert(
    fc.property(...draws, (steps, concurrency, rateLimit, retryBudget) => {
      const watch = new GateWatch({
        breaker: { failureThreshold: 3, openMs: 100, probeLeaseMs: 70 },
        concurrency,
        ...(rateLimit === undefined ? {} : { rateLimit }),
        ...(retryBudget === undefined ? {} : { retryBudget }),
      });
      for (const event of steps) watch.take(event);
      watch.drain();
      for (const what of watch.seen) seen.add(what);
    }),
    { numRuns: 1_000, examples: sameDraws(200, ...draws) },
  );
  expect([...seen].toSorted()).toEqual([
    'BULKHEAD_FULL',
    'CIRCUIT_OPEN',
    'RATE_LIMITED',
    'RETRY_BUDGET_EXHAUSTED',
    'permit',
    'wait',
    'woken',
  ]);
});
