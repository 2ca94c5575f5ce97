import { describe, expect, it } from 'vitest';
import { createBreaker, holdUntil, isHeld } from '../../../src/engine/breaker/breaker.ts';
import { CircuitDriver } from './circuit-driver.ts';

const fail = 'transient';

describe('results of calls begun before a transition', () => {
  it.each(['success', 'transient', 'permanent'] as const)('a stale %s moves nothing, in any state', (outcome) => {
    const circuit = new CircuitDriver();
    const stale = circuit.acquire();
    circuit.open();
    circuit.answer(stale, outcome);
    expect(circuit.state).toBe('open');
    circuit.pass(30_000);
    const probe = circuit.acquire();
    circuit.answer(stale, outcome);
    expect(circuit.state).toBe('half_open');
    circuit.answer(probe, 'success');
    circuit.call('transient');
    circuit.answer(stale, outcome);
    expect(circuit.state).toBe('closed');
    expect(circuit.breaker.failureCount).toBe(1);
    expect(circuit.breaker.counters.stale).toBe(3);
    expect(circuit.reasons).toEqual(['failure_threshold', 'open_period_elapsed', 'probe_succeeded']);
  });

  it('an earlier probe of the same half-open period is stale too', () => {
    const circuit = new CircuitDriver();
    circuit.open();
    circuit.pass(30_000);
    const first = circuit.acquire();
    circuit.answer(first, 'neutral');
    circuit.acquire();
    circuit.answer(first, 'transient');
    expect(circuit.state).toBe('half_open');
  });
});

describe("the server's own wait", () => {
  it('lengthens the open period, never shortens it', () => {
    for (const [hint, openFor] of [
      [45_000, 45_000],
      [1_000, 30_000],
    ] as const) {
      const circuit = new CircuitDriver();
      circuit.call(fail, fail, fail, fail);
      circuit.answer(circuit.acquire(), 'transient', { retryAfterMs: hint });
      expect(circuit.transitions.at(-1)?.openForMs).toBe(openFor);
      circuit.pass(openFor - 1);
      expect(circuit.state).toBe('open');
      circuit.pass(1);
      expect(circuit.state).toBe('half_open');
    }
  });

  it('is a hold while closed and does not open', () => {
    const circuit = new CircuitDriver();
    circuit.answer(circuit.acquire(), 'transient', { retryAfterMs: 60_000 });
    expect(circuit.state).toBe('closed');
    expect(isHeld(circuit.breaker, circuit.now + 59_999)).toBe(true);
    expect(isHeld(circuit.breaker, circuit.now + 60_000)).toBe(false);
  });

  it('counts for an open circuit although the call that brought it is stale', () => {
    const circuit = new CircuitDriver();
    const stale = circuit.acquire();
    circuit.open();
    circuit.answer(stale, 'transient', { retryAfterMs: 50_000 });
    circuit.pass(49_999);
    expect(circuit.state).toBe('open');
  });

  it('does not close the door again once the period has passed: it holds the probe back instead', () => {
    const circuit = new CircuitDriver();
    const stale = circuit.acquire();
    circuit.open();
    circuit.pass(30_000);
    circuit.answer(stale, 'transient', { retryAfterMs: 50_000 });
    expect(circuit.state).toBe('half_open');
    expect(isHeld(circuit.breaker, circuit.now)).toBe(true);
  });

  it('is ignored on a neutral outcome and when it is no number of milliseconds', () => {
    const circuit = new CircuitDriver();
    circuit.answer(circuit.acquire(), 'neutral', { retryAfterMs: 60_000 });
    for (const hint of [Number.NaN, Number.POSITIVE_INFINITY, -5]) {
      circuit.answer(circuit.acquire(), 'transient', { retryAfterMs: hint });
    }
    expect(isHeld(circuit.breaker, circuit.now)).toBe(false);
  });

  it('the longest one stands', () => {
    const breaker = createBreaker();
    holdUntil(breaker, 500, 0);
    holdUntil(breaker, 200, 0);
    expect(isHeld(breaker, 499)).toBe(true);
  });
});
