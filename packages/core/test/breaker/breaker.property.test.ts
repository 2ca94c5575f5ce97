import fc from 'fast-check';
import { expect, it } from 'vitest';
import { circuitState, createBreaker, isHeld, record, returnProbe, tryAcquire } from '../../src/breaker/breaker.ts';
import { control } from '../../src/breaker/control.ts';
import { restore, save } from '../../src/breaker/snapshot.ts';
import type { CircuitPermit, CircuitSnapshot, CircuitTransition } from '../../src/breaker/types.ts';
import { ReferenceCircuit, type ReferencePermit } from './reference-circuit.ts';

const outcome = fc.constantFrom('success', 'transient', 'permanent', 'neutral');
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('acquire' as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('record' as const),
      which: fc.nat(1_000),
      outcome: fc.oneof({ weight: 3, arbitrary: fc.constant('transient' as const) }, { weight: 2, arbitrary: outcome }),
      hint: fc.option(fc.integer({ min: 0, max: 400 }), { nil: undefined, freq: 6 }),
      again: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pass' as const), by: fc.constantFrom(0, 1, 49, 50, 99, 100, 101, 250, 5_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('giveBack' as const), which: fc.nat(1_000) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('order' as const),
      command: fc.constantFrom('auto', 'auto', 'auto', 'forced_open', 'disabled', 'shadow', 'reset'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('move' as const), clock: fc.integer({ min: 0, max: 1e9 }), away: fc.nat(200) }) },
);

it('behaves as the reference does, through any sequence of events', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 1, maxLength: 120 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 3 }),
      (steps, threshold, successes) => {
        const settings = {
          failureThreshold: threshold,
          successThreshold: successes,
          openMs: 100,
          probeLeaseMs: 50,
          permanentProbeLimit: 3,
        };
        let real = createBreaker(settings);
        const reference = new ReferenceCircuit({ threshold, successes, openMs: 100, leaseMs: 50, permanents: 3 });
        const permits: { readonly real: CircuitPermit; readonly reference: ReferencePermit }[] = [];
        let now = 0;
        let shift = 0;
        const reported: CircuitTransition[] = [];
        for (const event of steps) {
          reference.advance(now);
          switch (event.do) {
            case 'acquire': {
              const answer = tryAcquire(real, now + shift);
              const expected = reference.acquire(now);
              expect(answer.kind).toBe(expected === 'refused' ? 'refused' : 'permit');
              if (answer.kind === 'refused') {
                const wait = answer.refusal.retryAfterMs;
                if (real.mode !== 'forced_open') expect(wait).toBeGreaterThan(0);
              } else if (expected !== 'refused') {
                expect(answer.permit.probe).toBe(expected.probe);
                permits.push({ real: answer.permit, reference: expected });
              }
              if (answer.kind === 'permit' && answer.earlierTransition !== undefined) reported.push(answer.earlierTransition);
              if (answer.transition !== undefined) reported.push(answer.transition);
              break;
            }
            case 'record': {
              if (permits.length === 0) break;
              const index = event.which % permits.length;
              const permit = permits[index];
              if (permit === undefined) break;
              if (!event.again) permits.splice(index, 1);
              const observation = { outcome: event.outcome, durationMs: 1 };
              const transition = record(
                real,
                permit.real,
                event.hint === undefined ? observation : { ...observation, retryAfterMs: event.hint },
                now + shift,
              );
              reference.record(permit.reference, event.outcome, event.hint, now);
              if (transition !== undefined) reported.push(transition);
              break;
            }
            case 'giveBack': {
              const permit = permits[event.which % Math.max(1, permits.length)];
              if (permit === undefined) break;
              returnProbe(real, permit.real);
              if (reference.probe?.permit === permit.reference) reference.probe = undefined;
              break;
            }
            case 'pass':
              now += event.by;
              break;
            case 'order':
              reported.push(...control(real, event.command, now + shift));
              reference.order(event.command);
              break;
            case 'move': {
              const snapshot = save(real, { now: now + shift, nowEpochMs: 5_000_000 });
              now += event.away;
              shift = event.clock - now;
              const there = createBreaker(settings);
              const carried = JSON.parse(JSON.stringify(snapshot)) as CircuitSnapshot;
              expect(restore(there, carried, { now: now + shift, nowEpochMs: 5_000_000 + event.away })).toBe(true);
              real = there;
              break;
            }
          }
          reference.advance(now);
          seen.add(circuitState(real, now + shift));
          expect(circuitState(real, now + shift)).toBe(reference.shown());
          expect(isHeld(real, now + shift)).toBe(now < reference.held && reference.mode !== 'shadow');
        }
        const states: readonly string[] = ['closed', ...reported.map((transition) => transition.to)];
        expect(reported.map((transition) => transition.from)).toEqual(states.slice(0, -1));
      },
    ),
    { numRuns: 1_500 },
  );
  expect([...seen].toSorted()).toEqual(['closed', 'half_open', 'open']);
});
