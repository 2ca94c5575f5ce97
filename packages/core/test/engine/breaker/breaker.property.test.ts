import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SideBySide, type Step } from './side-by-side.ts';
import { sameDraws } from '../../support/same-draws.ts';

const outcome = fc.constantFrom('success', 'transient', 'transient', 'permanent', 'neutral');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('acquire' as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('call' as const), outcome }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('record' as const),
      which: fc.nat(1_000),
      outcome,
      hint: fc.option(fc.oneof(fc.integer({ min: 0, max: 400 }), fc.constantFrom(15_000, 3_600_000)), { nil: undefined, freq: 6 }),
      again: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('pass' as const), by: fc.constantFrom(0, 1, 49, 50, 99, 100, 101, 250, 5_000, 10_000, 40_000) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('give back' as const), which: fc.nat(1_000) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('order' as const),
      command: fc.constantFrom('auto', 'auto', 'auto', 'forced_open', 'disabled', 'shadow', 'reset'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('move' as const), clock: fc.nat(1e9), away: fc.nat(200) }) },
);

it('behaves like the reference for any sequence of events', () => {
  const states = new Set<string>();
  const reasons = new Set<string>();
  const draws = [
    fc.array(step, { minLength: 1, maxLength: 120, size: 'max' }),
    fc.integer({ min: 1, max: 4 }),
    fc.integer({ min: 1, max: 3 }),
    fc.integer({ min: 1, max: 3 }),
  ] as const;
  fc.assert(
    fc.property(...draws, (steps, failureThreshold, successThreshold, permanentProbeLimit) => {
      const pair = new SideBySide({ failureThreshold, successThreshold, openMs: 100, probeLeaseMs: 50, permanentProbeLimit });
      for (const event of steps) states.add(pair.take(event));
      for (const { reason } of pair.transitions) reasons.add(reason);
    }),
    { numRuns: 1_000, examples: sameDraws(200, ...draws) },
  );
  expect([...states].toSorted()).toEqual(['closed', 'half_open', 'open']);
  expect([...reasons].toSorted()).toEqual([
    'failure_threshold',
    'manual',
    'open_period_elapsed',
    'permanent_probes',
    'probe_failed',
    'probe_lease_expired',
    'probe_succeeded',
  ]);
});
