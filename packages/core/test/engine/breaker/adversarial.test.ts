import { describe, expect, it } from 'vitest';
import { createBreaker, peek, record, returnProbe, tryAcquire } from '../../../src/engine/breaker/breaker.ts';
import { save } from '../../../src/engine/breaker/snapshot.ts';
import { takeChanges } from '../../../src/engine/breaker/transition.ts';
import { waitMs } from '../../../src/engine/breaker/wait.ts';
import { CircuitDriver } from './circuit-driver.ts';

const halfOpen = (): CircuitDriver => {
  const circuit = new CircuitDriver();
  circuit.open();
  circuit.pass(30_000);
  return circuit;
};

describe('misused permits', () => {
  it('a probe that is recorded twice counts once', () => {
    const circuit = halfOpen();
    const probe = circuit.acquire();
    circuit.answer(probe, 'success');
    circuit.answer(probe, 'transient');
    expect(circuit.breaker.failureCount).toBe(0);
  });

  it('a probe returned twice frees one slot', () => {
    const circuit = halfOpen();
    const first = circuit.acquire();
    returnProbe(circuit.breaker, first, circuit.now);
    const second = circuit.acquire();
    returnProbe(circuit.breaker, first, circuit.now);
    expect(circuit.ask().kind).toBe('refused');
    circuit.answer(second, 'success');
    expect(circuit.state).toBe('closed');
  });

  it('returning an ordinary permit has no effect', () => {
    const circuit = new CircuitDriver();
    const permit = circuit.acquire();
    circuit.open();
    circuit.pass(30_000);
    circuit.acquire();
    returnProbe(circuit.breaker, permit, circuit.now);
    expect(circuit.ask().kind).toBe('refused');
  });

  it('a forged permit has no effect', () => {
    const circuit = halfOpen();
    const probe = circuit.acquire();
    for (const generation of [-1, 0, 1, 99, Number.NaN]) {
      circuit.answer({ generation, probe: true, probeNumber: probe.probeNumber }, 'success');
    }
    circuit.answer({ generation: probe.generation, probe: true, probeNumber: 77 }, 'success');
    circuit.answer({ generation: probe.generation, probe: false, probeNumber: 0 }, 'success');
    expect(circuit.state).toBe('half_open');
  });
});

describe('unusual clocks', () => {
  it('a small step back neither shortens nor extends the open period', () => {
    const circuit = new CircuitDriver();
    circuit.open();
    circuit.pass(30_000);
    circuit.pass(-5);
    expect(circuit.ask()).toMatchObject({ kind: 'refused', refusal: { retryAfterMs: 5 } });
    circuit.pass(5);
    const probe = circuit.acquire();
    circuit.pass(-20);
    circuit.answer(probe, 'success');
    expect(circuit.state).toBe('closed');
  });

  it('a jump of the monotonic clock by an hour (a suspended laptop) only ends the period', () => {
    const circuit = new CircuitDriver();
    circuit.open();
    circuit.pass(3_600_000);
    circuit.call('success');
    expect(circuit.state).toBe('closed');
  });

  it.each([0, -1e15, 1e15, Number.MAX_SAFE_INTEGER, 1e300, -1e300])('at %d every wait is a positive whole number', (now) => {
    const breaker = createBreaker({ failureThreshold: 1, rate: { windowMs: 10, minimumCalls: 5, failureRate: 1 } });
    const answer = tryAcquire(breaker, now);
    if (answer.kind !== 'permit') throw new Error('refused');
    record(breaker, answer.permit, { outcome: 'transient', durationMs: 0, retryAfterMs: 1e9 }, now);
    expect(takeChanges(breaker)[0]?.openForMs).toBeGreaterThan(0);
    const wait = peek(breaker, now)?.retryAfterMs ?? 1;
    expect(Number.isSafeInteger(wait) && wait > 0).toBe(true);
    expect(JSON.stringify(save(breaker, { now, nowEpochMs: 0 }))).not.toContain('null');
  });

  it.each([
    [123.08955382327063, 0.08955382327062722, 124],
    [3831.0727539005798, 0.07275390057952791, 3832],
    [4562.716, 2562.716, 2000],
    [10, 0, 10],
    [10.5, 0, 11],
  ])('until %d at %d is %d ms, including the rounding of the sum', (until, now, wait) => {
    expect(waitMs(until, now)).toBe(wait);
    expect(now + wait).toBeGreaterThanOrEqual(until);
  });

  it('a wait is at least 1 ms and long enough, for any numbers', () => {
    for (const until of [0, 0.1, 5, 1e15 + 0.5, 1e300, Number.POSITIVE_INFINITY, Number.NaN]) {
      for (const now of [0, 0.3, -7.7, 5, 1e15, 1e300, Number.POSITIVE_INFINITY, Number.NaN]) {
        const wait = waitMs(until, now);
        expect(Number.isSafeInteger(wait) && wait >= 1).toBe(true);
        expect(now + wait >= until || !(until - now < 1e15)).toBe(true);
      }
    }
  });
});

describe('bounded memory', () => {
  it('a million calls do not increase the size of the state', () => {
    const circuit = new CircuitDriver({ rate: { windowMs: 1_000, minimumCalls: 1e9, failureRate: 1 } });
    circuit.call('success');
    const size = JSON.stringify(save(circuit.breaker, { now: circuit.now, nowEpochMs: 0 })).length;
    for (let call = 0; call < 1_000_000; call += 1) {
      circuit.now += 0.01;
      circuit.call(call % 7 === 0 ? 'transient' : 'success');
    }
    expect(circuit.transitions).toHaveLength(0);
    const grown = JSON.stringify(save(circuit.breaker, { now: circuit.now, nowEpochMs: 0 })).length;
    expect(grown).toBeLessThan(size + 200);
  });
});
