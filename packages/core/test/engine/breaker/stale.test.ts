import { describe, expect, it } from 'vitest';
import { CircuitDriver } from './circuit-driver.ts';

describe('results of calls that started before a transition', () => {
  it.each(['success', 'transient', 'permanent'] as const)('a stale %s has no effect, in any state', (outcome) => {
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
