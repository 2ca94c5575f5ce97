import { describe, expect, it } from 'vitest';
import { createBreaker } from '../../../src/engine/breaker/breaker.ts';
import { FIRST_HOLD_MS, holdUntil, isHeld } from '../../../src/engine/breaker/hold.ts';
import { CircuitDriver } from './circuit-driver.ts';

const HOUR_MS = 3_600_000;

/** A closed circuit with a threshold that no test here reaches. */
const closed = (): HoldDriver => new HoldDriver({ failureThreshold: 1_000 });

class HoldDriver extends CircuitDriver {
  /** How long it holds calls from now on. */
  get heldMs(): number {
    return Math.max(0, this.breaker.holdUntil - this.now);
  }

  /** A request that takes 1 ms and gets a Retry-After. */
  hint(retryAfterMs: number): number {
    this.pass(1);
    this.answer(this.acquire(), 'transient', { retryAfterMs });
    return this.heldMs;
  }

  succeed(): void {
    this.pass(1);
    this.call('success');
  }
}

describe('a hold', () => {
  it('lasts as long as the server asked for, but at most 10 s', () => {
    expect(FIRST_HOLD_MS).toBe(10_000);
    for (const [asked, held] of [
      [1, 1],
      [9_999, 9_999],
      [10_000, 10_000],
      [10_001, 10_000],
      [HOUR_MS, 10_000],
      [Number.MAX_SAFE_INTEGER, 10_000],
    ] as const)
      expect(closed().hint(asked)).toBe(held);
  });

  it('does not open a closed circuit, and ends on its own', () => {
    const circuit = closed();
    circuit.hint(HOUR_MS);
    expect(circuit.state).toBe('closed');
    expect(isHeld(circuit.breaker, circuit.now + 9_999)).toBe(true);
    expect(isHeld(circuit.breaker, circuit.now + 10_000)).toBe(false);
  });

  it.each([0, -0, -5, -HOUR_MS, Number.NaN, Infinity, -Infinity])('is not created by a wait of %d ms', (retryAfterMs) => {
    const circuit = closed();
    expect(circuit.hint(retryAfterMs)).toBe(0);
    circuit.hint(4_000);
    circuit.hint(retryAfterMs);
    expect(circuit.heldMs).toBe(3_999);
  });

  it('is not created by a neutral outcome', () => {
    const circuit = closed();
    circuit.answer(circuit.acquire(), 'neutral', { retryAfterMs: 60_000 });
    expect(circuit.heldMs).toBe(0);
  });

  it('is the longest that any of several answers asks for', () => {
    const breaker = createBreaker();
    holdUntil(breaker, 500, 0);
    holdUntil(breaker, 200, 0);
    expect(isHeld(breaker, 499)).toBe(true);
    holdUntil(breaker, 900, 100);
    expect(isHeld(breaker, 899)).toBe(true);
  });
});

describe('while the server repeats its Retry-After', () => {
  it('each hold lasts twice as long as the previous one, up to the requested time', () => {
    const circuit = closed();
    const held: number[] = [];
    for (let time = 0; time < 8; time += 1) {
      held.push(circuit.hint(300_000));
      circuit.pass(circuit.heldMs);
    }
    expect(held).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000]);
  });

  it('short waits do not extend a later long one beyond 10 s', () => {
    const circuit = closed();
    for (let time = 0; time < 20; time += 1) {
      expect(circuit.hint(2_000)).toBe(2_000);
      circuit.pass(2_000);
    }
    expect(circuit.hint(HOUR_MS)).toBe(10_000);
  });

  it('answers to requests sent before the hold count as one, not as repetitions', () => {
    const circuit = closed();
    const permits = Array.from({ length: 20 }, () => circuit.acquire());
    for (const permit of permits) {
      circuit.pass(10);
      circuit.answer(permit, 'transient', { retryAfterMs: HOUR_MS, durationMs: circuit.now - 1_000 });
    }
    expect(circuit.heldMs).toBe(10_000);
    circuit.pass(60_000);
    circuit.answer(circuit.acquire(), 'transient', { retryAfterMs: HOUR_MS, durationMs: 60_300 });
    expect(circuit.heldMs).toBe(10_000);
  });

  it.each([
    ['a success', 'success', {}],
    ['a permanent error', 'permanent', {}],
    ['a transient error without a Retry-After', 'transient', {}],
  ] as const)('%s ends the growth', (_name, outcome, more) => {
    const circuit = closed();
    circuit.hint(HOUR_MS);
    circuit.pass(10_001);
    circuit.answer(circuit.acquire(), outcome, more);
    expect(circuit.hint(HOUR_MS)).toBe(10_000);
  });

  it.each([
    ['a time-out', 'transient', { timedOut: true }],
    ['a neutral outcome', 'neutral', {}],
    ['a wait of 0', 'transient', { retryAfterMs: 0 }],
  ] as const)('%s does not', (_name, outcome, more) => {
    const circuit = closed();
    circuit.hint(HOUR_MS);
    circuit.pass(10_001);
    circuit.answer(circuit.acquire(), outcome, more);
    expect(circuit.hint(HOUR_MS)).toBe(20_000);
  });
});

describe('an active hold', () => {
  /** The first of two requests, 5 ms apart, gets a Retry-After. */
  function heldWithAnotherInFlight(sentMs: 5 | -5): {
    readonly circuit: HoldDriver;
    readonly answer: (outcome: 'success' | 'permanent' | 'transient') => void;
  } {
    const circuit = closed();
    const [first, other] = [circuit.acquire(), circuit.acquire()];
    const began = circuit.now;
    circuit.pass(100);
    circuit.answer(first, 'transient', { retryAfterMs: HOUR_MS, durationMs: 100 });
    circuit.pass(20);
    return { circuit, answer: (outcome) => circuit.answer(other, outcome, { durationMs: circuit.now - began - sentMs }) };
  }

  it.each(['success', 'permanent'] as const)('ends with a %s of a later request', (outcome) => {
    const { circuit, answer } = heldWithAnotherInFlight(5);
    answer(outcome);
    expect(circuit.heldMs).toBe(0);
  });

  it('does not end with a transient error', () => {
    const { circuit, answer } = heldWithAnotherInFlight(5);
    answer('transient');
    expect(circuit.heldMs).toBe(9_980);
  });

  it.each(['success', 'permanent'] as const)('does not end with a %s of an earlier request', (outcome) => {
    const { circuit, answer } = heldWithAnotherInFlight(-5);
    answer(outcome);
    expect(circuit.heldMs).toBe(9_980);
    circuit.pass(10_000);
    expect(circuit.hint(HOUR_MS)).toBe(20_000);
  });

  it('ends with a reset', () => {
    const circuit = closed();
    circuit.hint(HOUR_MS);
    circuit.order('reset');
    expect(circuit.heldMs).toBe(0);
    expect(circuit.hint(HOUR_MS)).toBe(10_000);
  });

  it('a single Retry-After of an hour holds a healthy tool for 10 s, at any time', () => {
    const circuit = closed();
    for (let time = 0; time < 5; time += 1) {
      for (let call = 0; call < 100; call += 1) circuit.succeed();
      expect(circuit.hint(HOUR_MS)).toBe(10_000);
      circuit.pass(10_000);
    }
  });
});

describe('an open circuit', () => {
  it.each([
    [2_000, 45_000, 10_000],
    [2_000, 5_000, 5_000],
    [30_000, 45_000, 30_000],
    [30_000, 1_000, 30_000],
  ])('with a period of %d ms and a wait of %d ms stays open for %d ms', (openMs, retryAfterMs, openForMs) => {
    const circuit = new CircuitDriver({ openMs });
    circuit.call('transient', 'transient', 'transient', 'transient');
    circuit.answer(circuit.acquire(), 'transient', { retryAfterMs });
    expect(circuit.transitions.at(-1)?.openForMs).toBe(openForMs);
    circuit.pass(openForMs - 1);
    expect(circuit.state).toBe('open');
    circuit.pass(1);
    expect(circuit.state).toBe('half_open');
  });

  it('stays open longer with each probe that gets the Retry-After again', () => {
    const circuit = new CircuitDriver({ failureThreshold: 1, openMs: 15_000 });
    const open: (number | undefined)[] = [];
    for (let time = 0; time < 4; time += 1) {
      circuit.answer(circuit.acquire(), 'transient', { retryAfterMs: 60_000 });
      open.push(circuit.transitions.at(-1)?.openForMs);
      circuit.pass(open.at(-1) ?? 0);
    }
    expect(open).toEqual([15_000, 20_000, 40_000, 60_000]);
  });

  it('stays open for a Retry-After even if the call that received it is stale', () => {
    const circuit = new CircuitDriver({ openMs: 2_000 });
    const stale = circuit.acquire();
    circuit.open();
    circuit.answer(stale, 'transient', { retryAfterMs: 50_000 });
    circuit.pass(9_999);
    expect(circuit.state).toBe('open');
    circuit.pass(1);
    expect(circuit.state).toBe('half_open');
  });

  it('does not open again once the period has passed: the hold delays the probe instead', () => {
    const circuit = new CircuitDriver();
    const stale = circuit.acquire();
    circuit.open();
    circuit.pass(30_000);
    circuit.answer(stale, 'transient', { retryAfterMs: 50_000 });
    expect(circuit.state).toBe('half_open');
    expect(isHeld(circuit.breaker, circuit.now)).toBe(true);
  });
});
