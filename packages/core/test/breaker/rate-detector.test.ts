import { describe, expect, it } from 'vitest';
import type { OutcomeKind } from '../../src/breaker/types.ts';
import { CircuitDriver } from './circuit-driver.ts';

const fail = 'transient';

describe('the rate detector', () => {
  const rate = { windowMs: 10_000, minimumCalls: 10, failureRate: 0.5 };
  const settings = { failureThreshold: 1_000, rate };

  it('opens at the share, not below the minimum volume', () => {
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

  it('stays closed just under the share', () => {
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

  it('starts afresh after closing', () => {
    const circuit = new CircuitDriver({ ...settings, openMs: 100 });
    circuit.call(...Array.from({ length: 10 }, () => fail as OutcomeKind));
    circuit.pass(100);
    circuit.call('success', ...Array.from({ length: 9 }, () => fail as OutcomeKind));
    expect(circuit.state).toBe('closed');
  });
});
