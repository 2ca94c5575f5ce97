import { describe, expect, it } from 'vitest';
import type { OutcomeKind } from '../../../src/engine/breaker/types.ts';
import { peek } from '../../../src/engine/breaker/breaker.ts';
import { withSettings } from '../../../src/engine/breaker/control.ts';
import { CircuitDriver } from './circuit-driver.ts';

const fail = 'transient';

describe('the rate detector', () => {
  const rate = { windowMs: 10_000, minimumCalls: 10, failureRate: 0.5 };
  const settings = { failureThreshold: 1_000, rate };

  it('opens at the configured share, but not below the minimum volume', () => {
    const circuit = new CircuitDriver(settings);
    circuit.call(...Array.from({ length: 9 }, () => fail as OutcomeKind));
    expect(circuit.state).toBe('closed');
    circuit.call('transient');
    expect(circuit.state).toBe('open');
    expect(circuit.reasons).toEqual(['failure_rate']);
  });

  it('is not diluted by permanent and neutral outcomes', () => {
    const circuit = new CircuitDriver(settings);
    for (let round = 0; round < 5; round += 1) circuit.call('permanent', 'neutral', 'success', 'transient');
    expect(circuit.state).toBe('open');
  });

  it('stays closed just below the share', () => {
    const circuit = new CircuitDriver(settings);
    for (let round = 0; round < 50; round += 1) circuit.call('success', 'success', 'transient');
    expect(circuit.state).toBe('closed');
  });

  it('expires while idle', () => {
    const circuit = new CircuitDriver(settings);
    circuit.call(...Array.from({ length: 9 }, () => fail as OutcomeKind));
    circuit.pass(3_600_000);
    circuit.call('transient');
    expect(circuit.state).toBe('closed');
  });

  it('rolls bucket by bucket', () => {
    const circuit = new CircuitDriver(settings);
    circuit.call(fail, fail, fail, fail, fail);
    circuit.pass(5_000);
    circuit.call(fail, fail, fail, fail);
    circuit.pass(5_000);
    circuit.call('transient');
    expect(circuit.state).toBe('closed');
    circuit.call(fail, fail, fail, fail, fail);
    expect(circuit.state).toBe('open');
  });

  it('opens on slow calls that succeed', () => {
    const circuit = new CircuitDriver({ rate: { ...rate, slowCallMs: 500, slowCallRate: 0.8 } });
    for (let round = 0; round < 10; round += 1) {
      circuit.answer(circuit.acquire(), 'success', { durationMs: round < 2 ? 499 : 500 });
    }
    expect(circuit.reasons).toEqual(['slow_call_rate']);
  });

  const slowOf = (slowCalls: number, share: { readonly slowCallRate?: number }): CircuitDriver => {
    const circuit = new CircuitDriver({ rate: { ...rate, slowCallMs: 500, ...share } });
    for (let call = 1; call <= 10; call += 1)
      circuit.answer(circuit.acquire(), 'success', { durationMs: call > 10 - slowCalls ? 500 : 499 });
    return circuit;
  };

  it.each([
    [5, { slowCallRate: 0.6 }, 'closed'],
    [6, { slowCallRate: 0.6 }, 'open'],
    // Where no share is given, all calls have to be slow.
    [9, {}, 'closed'],
    [10, {}, 'open'],
  ])('after %i slow calls of ten, with %j, is %s', (slowCalls, share, state) => {
    expect(slowOf(slowCalls, share).state).toBe(state);
  });

  it('does not count a failure as a slow call', () => {
    const circuit = new CircuitDriver({ ...settings, rate: { ...rate, failureRate: 1, slowCallMs: 500, slowCallRate: 0.1 } });
    circuit.call(...Array.from({ length: 10 }, (): OutcomeKind => 'success'), 'transient');
    expect(circuit.state).toBe('closed');
  });

  it('can be switched on, extended and switched off at run time', () => {
    const circuit = new CircuitDriver({ failureThreshold: 1_000 });
    circuit.call(...Array.from({ length: 20 }, (): OutcomeKind => fail));
    withSettings(circuit.breaker, settings);
    circuit.call(...Array.from({ length: 9 }, (): OutcomeKind => fail));
    expect(circuit.state).toBe('closed');
    withSettings(circuit.breaker, { ...settings, rate: { ...rate, windowMs: 100_000 } });
    circuit.pass(50_000);
    withSettings(circuit.breaker, { failureThreshold: 1_000 });
    circuit.call(...Array.from({ length: 20 }, (): OutcomeKind => fail));
    expect(circuit.state).toBe('closed');
    withSettings(circuit.breaker, settings);
    circuit.call(...Array.from({ length: 10 }, (): OutcomeKind => fail));
    expect(circuit.state).toBe('open');
  });

  it('keeps its counts when its window gets longer', () => {
    const circuit = new CircuitDriver(settings);
    circuit.call(...Array.from({ length: 9 }, (): OutcomeKind => fail));
    withSettings(circuit.breaker, { ...settings, rate: { ...rate, windowMs: 100_000 } });
    circuit.pass(50_000);
    circuit.call('transient');
    expect(circuit.state).toBe('open');
  });

  it('refuses no call in `shadow` mode', () => {
    const circuit = new CircuitDriver({ failureThreshold: 1 });
    circuit.open();
    expect(peek(circuit.breaker, circuit.now)).toMatchObject({ source: 'circuit', retryAfterMs: 30_000 });
    circuit.order('shadow');
    expect(peek(circuit.breaker, circuit.now)).toBeUndefined();
  });

  it('starts from zero after closing', () => {
    const circuit = new CircuitDriver({ ...settings, openMs: 100 });
    circuit.call(...Array.from({ length: 10 }, () => fail as OutcomeKind));
    circuit.pass(100);
    circuit.call('success', ...Array.from({ length: 9 }, () => fail as OutcomeKind));
    expect(circuit.state).toBe('closed');
  });
});
