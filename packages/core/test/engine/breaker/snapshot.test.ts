import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBreaker, isHeld, peek } from '../../../src/engine/breaker/breaker.ts';
import { isCircuitSnapshot, restore, save } from '../../../src/engine/breaker/snapshot.ts';
import type { Breaker, BreakerSettings, CircuitSnapshot } from '../../../src/engine/breaker/types.ts';
import { CircuitDriver } from './circuit-driver.ts';

const epoch = 1_700_000_000_000;
const rate = { windowMs: 10_000, minimumCalls: 10, failureRate: 0.5 };

function carry(snapshot: CircuitSnapshot): CircuitSnapshot {
  return JSON.parse(JSON.stringify(snapshot)) as CircuitSnapshot;
}

function arrive(
  snapshot: CircuitSnapshot,
  options: { now: number; nowEpochMs: number; permitsLost?: boolean },
  settings: Partial<BreakerSettings> = {},
): Breaker {
  const breaker = createBreaker(settings);
  expect(restore(breaker, carry(snapshot), options)).toBe(true);
  return breaker;
}

const outcome = fc.constantFrom('success', 'transient', 'transient', 'permanent', 'neutral');
const story = fc.array(
  fc.oneof(
    fc.record({ outcome, hint: fc.option(fc.nat(5_000), { nil: undefined, freq: 8 }), answered: fc.boolean() }),
    fc.record({ wait: fc.double({ min: 0, max: 40_000, noNaN: true }) }),
    fc.record({ command: fc.constantFrom('auto', 'shadow', 'disabled', 'forced_open', 'reset') }),
  ),
  { maxLength: 40 },
);

describe('a saved circuit', () => {
  it('is restored unchanged, on any clock', () => {
    fc.assert(
      fc.property(story, fc.double({ min: 0, max: 1e9, noNaN: true }), (events, otherClock) => {
        const circuit = new CircuitDriver({ rate, successThreshold: 2 });
        for (const event of events) {
          if ('wait' in event) circuit.pass(event.wait);
          else if ('command' in event) circuit.order(event.command);
          else {
            const answer = circuit.ask();
            if (answer.kind === 'refused' || !event.answered) continue;
            circuit.answer(answer.permit, event.outcome, event.hint === undefined ? {} : { retryAfterMs: event.hint });
          }
        }
        const saved = save(circuit.breaker, { now: circuit.now, nowEpochMs: epoch });
        const back = arrive(saved, { now: otherClock, nowEpochMs: epoch }, { rate, successThreshold: 2 });
        expect(save(back, { now: otherClock, nowEpochMs: epoch })).toEqual(saved);
        expect(carry(saved)).toEqual(saved);
      }),
      { numRuns: 500 },
    );
  });

  it('continues its open period, including the time in between', () => {
    const circuit = new CircuitDriver();
    circuit.open();
    circuit.pass(10_000);
    const saved = save(circuit.breaker, { now: circuit.now, nowEpochMs: epoch });
    expect(saved.openLeftMs).toBe(20_000);
    const back = arrive(saved, { now: 7, nowEpochMs: epoch + 5_000 });
    expect(peek(back, 7)?.retryAfterMs).toBe(15_000);
  });

  it.each([-3_600_000, 0])('a wall clock that was set back by %d ms does not change the remaining time', (step) => {
    const circuit = new CircuitDriver();
    circuit.open();
    const saved = save(circuit.breaker, { now: circuit.now, nowEpochMs: epoch });
    const back = arrive(saved, { now: 7, nowEpochMs: epoch + step });
    expect(peek(back, 7)?.retryAfterMs).toBe(30_000);
  });

  it('keeps a hold, and drops one that has passed', () => {
    const circuit = new CircuitDriver();
    circuit.answer(circuit.acquire(), 'transient', { retryAfterMs: 4_000 });
    const saved = save(circuit.breaker, { now: circuit.now, nowEpochMs: epoch });
    expect(isHeld(arrive(saved, { now: 0, nowEpochMs: epoch + 3_999 }), 0)).toBe(true);
    expect(isHeld(arrive(saved, { now: 0, nowEpochMs: epoch + 4_000 }), 0)).toBe(false);
  });

  it('keeps the length of a grown hold, and which request was refused', () => {
    const circuit = new CircuitDriver();
    const [first, earlier] = [circuit.acquire(), circuit.acquire()];
    circuit.pass(100);
    circuit.answer(first, 'transient', { retryAfterMs: 60_000, durationMs: 100 });
    const there = new CircuitDriver();
    restore(there.breaker, carry(save(circuit.breaker, { now: circuit.now, nowEpochMs: epoch })), {
      now: there.now,
      nowEpochMs: epoch + 100,
    });
    there.answer(earlier, 'success', { durationMs: 200 });
    expect(there.breaker.holdUntil - there.now).toBe(9_900);
    there.pass(9_900);
    there.answer(there.acquire(), 'transient', { retryAfterMs: 60_000 });
    expect(there.breaker.holdUntil - there.now).toBe(20_000);
  });

  it('keeps the running probe with its lease, so that its permit still counts', () => {
    const circuit = new CircuitDriver();
    circuit.open();
    circuit.pass(30_000);
    const probe = circuit.acquire();
    const there = new CircuitDriver();
    restore(there.breaker, carry(save(circuit.breaker, { now: circuit.now, nowEpochMs: epoch })), {
      now: there.now,
      nowEpochMs: epoch,
    });
    expect(there.ask()).toMatchObject({ refusal: { source: 'probe_in_progress', retryAfterMs: 60_000 } });
    there.answer(probe, 'success');
    expect(there.state).toBe('closed');
  });

  it('returns the probe if its call can never end', () => {
    const circuit = new CircuitDriver();
    circuit.open();
    circuit.pass(30_000);
    circuit.acquire();
    const saved = save(circuit.breaker, { now: circuit.now, nowEpochMs: epoch });
    expect(peek(arrive(saved, { now: 0, nowEpochMs: epoch, permitsLost: true }), 0)).toBeUndefined();
  });

  it("restored over a circuit that has changed makes that circuit's permits stale", () => {
    const circuit = new CircuitDriver({ failureThreshold: 1 });
    const saved = save(circuit.breaker, { now: circuit.now, nowEpochMs: epoch });
    const first = circuit.acquire();
    circuit.order('reset');
    const second = circuit.acquire();
    restore(circuit.breaker, saved, { now: circuit.now, nowEpochMs: epoch });
    circuit.answer(first, 'transient');
    circuit.answer(second, 'transient');
    expect(circuit.state).toBe('closed');
    circuit.call('transient');
    expect(circuit.state).toBe('open');
  });

  it('keeps the rate window and its age', () => {
    const settings = { failureThreshold: 1_000, rate };
    const circuit = new CircuitDriver(settings);
    for (let call = 0; call < 9; call += 1) circuit.call('transient');
    const saved = save(circuit.breaker, { now: circuit.now, nowEpochMs: epoch });
    for (const [away, state] of [
      [9_000, 'open'],
      [10_000, 'closed'],
    ] as const) {
      const there = new CircuitDriver(settings);
      restore(there.breaker, carry(saved), { now: there.now, nowEpochMs: epoch + away });
      there.call('transient');
      expect(there.state).toBe(state);
    }
  });

  it('that is damaged changes nothing', () => {
    const good = save(createBreaker({ rate }), { now: 0, nowEpochMs: epoch });
    const damaged: readonly unknown[] = [
      undefined,
      null,
      'closed',
      {},
      { ...good, version: 2 },
      { ...good, state: 'ajar' },
      { ...good, mode: 'manual' },
      { ...good, failureCount: '5' },
      { ...good, openLeftMs: null },
      { ...good, generation: Number.NaN },
      { ...good, probe: null },
      { ...good, probe: { leaseLeftMs: null } },
      { ...good, counters: null },
      { ...good, counters: { success: 1 } },
      { ...good, window: null },
      { ...good, window: { bucketAgeMs: 1, counts: 5 } },
      { ...good, window: { bucketAgeMs: 1, counts: [['1']] } },
      { ...good, window: { bucketAgeMs: 1, counts: [[1, '1']] } },
      { ...good, window: { bucketAgeMs: 1, counts: [[1], 5] } },
      { ...good, window: { counts: [[1]] } },
    ];
    for (const snapshot of damaged) {
      expect(isCircuitSnapshot(snapshot)).toBe(false);
      const circuit = new CircuitDriver();
      circuit.open();
      expect(restore(circuit.breaker, snapshot as CircuitSnapshot, { now: 0, nowEpochMs: epoch })).toBe(false);
      expect(circuit.state).toBe('open');
    }
    expect(isCircuitSnapshot(good)).toBe(true);
  });

  it('without the length of its open period gets the default length', () => {
    const saved = save(createBreaker({ openMs: 250 }), { now: 0, nowEpochMs: epoch });
    const breaker = createBreaker({ openMs: 250 });
    breaker.openMs = 6_750;
    expect(restore(breaker, carry(saved), { now: 0, nowEpochMs: epoch })).toBe(true);
    expect(breaker.openMs).toBe(250);
  });
});
