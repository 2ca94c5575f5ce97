import { describe, expect, it } from 'vitest';
import { peek } from '../../../src/engine/breaker/breaker.ts';
import type { OutcomeKind } from '../../../src/engine/breaker/types.ts';
import { CircuitDriver } from './circuit-driver.ts';

const fail = 'transient';

describe('closed', () => {
  const table: readonly {
    readonly outcomes: readonly OutcomeKind[];
    readonly count: number;
    readonly state: 'closed' | 'open';
  }[] = [
    { outcomes: [fail, fail, fail, fail], count: 4, state: 'closed' },
    { outcomes: [fail, fail, fail, fail, fail], count: 5, state: 'open' },
    { outcomes: ['permanent', 'permanent', 'permanent', 'permanent', 'permanent'], count: 0, state: 'closed' },
    { outcomes: [fail, 'permanent', fail], count: 1, state: 'closed' },
    { outcomes: [fail, fail, fail, fail, 'success', fail], count: 1, state: 'closed' },
    { outcomes: [fail, fail, fail, fail, 'neutral'], count: 4, state: 'closed' },
    { outcomes: [fail, fail, fail, fail, 'neutral', fail], count: 5, state: 'open' },
  ];
  it.each(table)('after $outcomes the count is $count and the state is $state', ({ outcomes, count, state }) => {
    const circuit = new CircuitDriver();
    circuit.call(...outcomes);
    expect(circuit.breaker.failureCount).toBe(count);
    expect(circuit.state).toBe(state);
  });

  it('reports the opening with its reason, count and duration', () => {
    const circuit = new CircuitDriver();
    circuit.open();
    expect(circuit.transitions).toEqual([{ from: 'closed', to: 'open', reason: 'failure_threshold', failureCount: 5, openForMs: 30_000 }]);
  });

  it('counts outcomes by kind, and openings', () => {
    const circuit = new CircuitDriver();
    circuit.call('success', 'success', 'permanent', 'neutral', 'neutral', 'neutral', 'transient');
    expect(circuit.breaker.counters).toEqual({ success: 2, transient: 1, permanent: 1, neutral: 3, stale: 0, opened: 0 });
    circuit.open();
    expect(circuit.breaker.counters).toMatchObject({ transient: 5, opened: 1 });
  });
});

describe('open', () => {
  it('refuses until the period has passed, and returns the remaining time', () => {
    const circuit = new CircuitDriver();
    circuit.open();
    circuit.pass(29_999);
    expect(circuit.ask()).toEqual({
      kind: 'refused',
      refusal: { code: 'CIRCUIT_OPEN', source: 'circuit', retryAfterMs: 1 },
    });
    expect(circuit.state).toBe('open');
    circuit.pass(1);
    expect(circuit.state).toBe('half_open');
  });

  it.each([0.1, 0.3, 1e-9, 29_999.999_999_99])('a caller that waits as long as it was asked to is admitted (%d ms in)', (elapsed) => {
    const circuit = new CircuitDriver();
    circuit.now = 0.7;
    circuit.open();
    circuit.pass(elapsed);
    const refusal = peek(circuit.breaker, circuit.now);
    expect(refusal?.retryAfterMs).toBeGreaterThan(0);
    circuit.pass(refusal?.retryAfterMs ?? 0);
    expect(circuit.ask().kind).toBe('permit');
  });

  it('peeking does not take the probe', () => {
    const circuit = new CircuitDriver();
    circuit.open();
    circuit.pass(30_000);
    expect(peek(circuit.breaker, circuit.now)).toBeUndefined();
    expect(peek(circuit.breaker, circuit.now)).toBeUndefined();
    expect(circuit.transitions).toHaveLength(1);
  });
});

describe('half-open', () => {
  const halfOpen = (settings: ConstructorParameters<typeof CircuitDriver>[0] = {}): CircuitDriver => {
    const circuit = new CircuitDriver(settings);
    circuit.open();
    circuit.pass(30_000);
    return circuit;
  };

  it('admits exactly one probe and refuses all other calls at once', () => {
    const circuit = halfOpen();
    expect(circuit.acquire().probe).toBe(true);
    for (let caller = 0; caller < 1_000; caller += 1) {
      expect(circuit.ask()).toEqual({
        kind: 'refused',
        refusal: { code: 'CIRCUIT_OPEN', source: 'probe_in_progress', retryAfterMs: 60_000 },
      });
    }
    expect(circuit.transitions.at(-1)).toEqual({
      from: 'open',
      to: 'half_open',
      reason: 'open_period_elapsed',
      failureCount: 5,
    });
  });

  it('closes on one success and resets the failure count', () => {
    const circuit = halfOpen();
    circuit.call('success');
    expect(circuit.state).toBe('closed');
    expect(circuit.breaker.failureCount).toBe(0);
    expect(circuit.transitions.at(-1)).toEqual({
      from: 'half_open',
      to: 'closed',
      reason: 'probe_succeeded',
      failureCount: 0,
    });
  });

  it('reopens on a transient failure and restarts the timer', () => {
    const circuit = halfOpen();
    const probe = circuit.acquire();
    circuit.pass(10_000);
    circuit.answer(probe, 'transient');
    expect(circuit.transitions.at(-1)).toEqual({
      from: 'half_open',
      to: 'open',
      reason: 'probe_failed',
      failureCount: 6,
      openForMs: 30_000,
    });
    circuit.pass(29_999);
    expect(circuit.state).toBe('open');
    circuit.pass(1);
    expect(circuit.state).toBe('half_open');
  });

  it('requires the configured number of consecutive successes, one probe after the other', () => {
    const circuit = halfOpen({ successThreshold: 3 });
    circuit.call('success', 'success');
    expect(circuit.state).toBe('half_open');
    const third = circuit.acquire();
    expect(circuit.ask().kind).toBe('refused');
    circuit.answer(third, 'success');
    expect(circuit.state).toBe('closed');
  });

  it('counts successes from zero after it has opened again', () => {
    const circuit = halfOpen({ successThreshold: 2 });
    circuit.call('success', 'transient');
    circuit.pass(30_000);
    circuit.call('success');
    expect(circuit.state).toBe('half_open');
    circuit.call('success');
    expect(circuit.state).toBe('closed');
  });

  it.each(['permanent', 'neutral'] as const)('%s returns the permit and changes nothing', (outcome) => {
    const circuit = halfOpen();
    circuit.call(outcome);
    expect(circuit.state).toBe('half_open');
    expect(circuit.acquire().probe).toBe(true);
  });

  it('three consecutive permanent errors close it', () => {
    const circuit = halfOpen();
    circuit.call('permanent', 'permanent');
    expect(circuit.state).toBe('half_open');
    circuit.call('neutral', 'permanent');
    expect(circuit.state).toBe('closed');
    expect(circuit.reasons.at(-1)).toBe('permanent_probes');
  });

  it('a success in between resets the count of permanent errors', () => {
    const circuit = halfOpen({ successThreshold: 5 });
    circuit.call('permanent', 'permanent', 'success', 'permanent', 'permanent');
    expect(circuit.state).toBe('half_open');
  });

  it('any number of neutral outcomes neither closes nor opens it', () => {
    const circuit = halfOpen();
    for (let turn = 0; turn < 100; turn += 1) circuit.call('neutral');
    expect(circuit.state).toBe('half_open');
  });
});

describe('the lease of a probe', () => {
  const hung = (): CircuitDriver => {
    const circuit = new CircuitDriver({ probeLeaseMs: 5_000 });
    circuit.open();
    circuit.pass(30_000);
    circuit.acquire();
    return circuit;
  };

  it('expires as a failure, and the next probe gets the slot', () => {
    const circuit = hung();
    circuit.pass(4_999);
    expect(circuit.state).toBe('half_open');
    expect(peek(circuit.breaker, circuit.now)?.retryAfterMs).toBe(1);
    circuit.pass(1);
    expect(circuit.state).toBe('open');
    expect(circuit.ask().kind).toBe('refused');
    expect(circuit.transitions.at(-1)).toEqual({
      from: 'half_open',
      to: 'open',
      reason: 'probe_lease_expired',
      failureCount: 6,
      openForMs: 30_000,
    });
    circuit.pass(30_000);
    expect(circuit.acquire().probe).toBe(true);
  });

  it('opens at the time of its expiry, not when it is next read', () => {
    const circuit = hung();
    circuit.pass(5_000 + 20_000);
    expect(peek(circuit.breaker, circuit.now)?.retryAfterMs).toBe(10_000);
    circuit.pass(10_000);
    expect(circuit.state).toBe('half_open');
    circuit.acquire();
    expect(circuit.reasons.slice(-2)).toEqual(['probe_lease_expired', 'open_period_elapsed']);
  });

  it('a late outcome of that probe has no effect', () => {
    const circuit = new CircuitDriver({ probeLeaseMs: 5_000 });
    circuit.open();
    circuit.pass(30_000);
    const late = circuit.acquire();
    circuit.pass(35_000);
    const second = circuit.acquire();
    circuit.answer(late, 'success');
    expect(circuit.state).toBe('half_open');
    expect(circuit.ask().kind).toBe('refused');
    circuit.answer(second, 'success');
    expect(circuit.state).toBe('closed');
    expect(circuit.breaker.counters.stale).toBe(1);
  });
});
