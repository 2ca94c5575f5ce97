import { describe, expect, it } from 'vitest';
import { createBreaker, holdUntil, isHeld, peek, tryAcquire } from '../../src/breaker/breaker.ts';
import { withSettings } from '../../src/breaker/control.ts';
import type { OutcomeKind } from '../../src/breaker/types.ts';
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
  it.each(table)('$outcomes leaves $count and $state', ({ outcomes, count, state }) => {
    const circuit = new CircuitDriver();
    circuit.call(...outcomes);
    expect(circuit.breaker.failureCount).toBe(count);
    expect(circuit.state).toBe(state);
  });

  it('reports the opening with its reason, count and length', () => {
    const circuit = new CircuitDriver();
    circuit.open();
    expect(circuit.transitions).toEqual([{ from: 'closed', to: 'open', reason: 'failure_threshold', failureCount: 5, openForMs: 30_000 }]);
  });

  it('gives all calls of a generation the same permit', () => {
    const circuit = new CircuitDriver();
    expect(circuit.ask()).toBe(circuit.ask());
  });
});

describe('open', () => {
  it('refuses until the period has passed and says how long', () => {
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

  it.each([0.1, 0.3, 1e-9, 29_999.999_999_99])('a caller who waits as told is let in (%d ms in)', (elapsed) => {
    const circuit = new CircuitDriver();
    circuit.now = 0.7;
    circuit.open();
    circuit.pass(elapsed);
    const refusal = peek(circuit.breaker, circuit.now);
    expect(refusal?.retryAfterMs).toBeGreaterThan(0);
    circuit.pass(refusal?.retryAfterMs ?? 0);
    expect(circuit.ask().kind).toBe('permit');
  });

  it('peeking takes nothing', () => {
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

  it('lets exactly one probe out and sends the others away at once', () => {
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

  it('closes on one success and forgets the failures', () => {
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

  it('asks for as many successes in a row as are set, one probe after the other', () => {
    const circuit = halfOpen({ successThreshold: 3 });
    circuit.call('success', 'success');
    expect(circuit.state).toBe('half_open');
    const third = circuit.acquire();
    expect(circuit.ask().kind).toBe('refused');
    circuit.answer(third, 'success');
    expect(circuit.state).toBe('closed');
  });

  it('begins the successes anew after a reopening', () => {
    const circuit = halfOpen({ successThreshold: 2 });
    circuit.call('success', 'transient');
    circuit.pass(30_000);
    circuit.call('success');
    expect(circuit.state).toBe('half_open');
    circuit.call('success');
    expect(circuit.state).toBe('closed');
  });

  it.each(['permanent', 'neutral'] as const)('%s gives the permit back and changes nothing', (outcome) => {
    const circuit = halfOpen();
    circuit.call(outcome);
    expect(circuit.state).toBe('half_open');
    expect(circuit.acquire().probe).toBe(true);
  });

  it('three permanent answers in a row close it', () => {
    const circuit = halfOpen();
    circuit.call('permanent', 'permanent');
    expect(circuit.state).toBe('half_open');
    circuit.call('neutral', 'permanent');
    expect(circuit.state).toBe('closed');
    expect(circuit.reasons.at(-1)).toBe('permanent_probes');
  });

  it('a success between breaks the row of permanent answers', () => {
    const circuit = halfOpen({ successThreshold: 5 });
    circuit.call('permanent', 'permanent', 'success', 'permanent', 'permanent');
    expect(circuit.state).toBe('half_open');
  });

  it('any number of neutral answers neither closes nor opens it', () => {
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

  it('runs out as a failure, and the next probe finds the slot free', () => {
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

  it('opens when it ran out, not when somebody looked', () => {
    const circuit = hung();
    circuit.pass(5_000 + 20_000);
    expect(peek(circuit.breaker, circuit.now)?.retryAfterMs).toBe(10_000);
    circuit.pass(10_000);
    expect(circuit.state).toBe('half_open');
    circuit.acquire();
    expect(circuit.reasons.slice(-2)).toEqual(['probe_lease_expired', 'open_period_elapsed']);
  });

  it('a late answer of that probe moves nothing', () => {
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

describe('manual control', () => {
  it('forced open refuses without a promise, until told otherwise, and the state behind it goes on', () => {
    const circuit = new CircuitDriver();
    circuit.call(fail, fail);
    const before = circuit.acquire();
    circuit.order('forced_open');
    circuit.pass(1e9);
    expect(circuit.state).toBe('open');
    expect(circuit.ask()).toEqual({ kind: 'refused', refusal: { code: 'CIRCUIT_OPEN', source: 'forced_open' } });
    circuit.order('auto');
    circuit.answer(before, 'transient');
    expect(circuit.state).toBe('closed');
    expect(circuit.breaker.failureCount).toBe(2);
    expect(circuit.transitions).toEqual([
      { from: 'closed', to: 'open', reason: 'manual', failureCount: 2 },
      { from: 'open', to: 'closed', reason: 'manual', failureCount: 2 },
    ]);
  });

  it('disabled never blocks and never counts', () => {
    const circuit = new CircuitDriver();
    circuit.open();
    circuit.order('disabled');
    circuit.call(...Array.from({ length: 20 }, () => fail as OutcomeKind));
    expect(circuit.state).toBe('closed');
    const begunDisabled = circuit.acquire();
    circuit.order('reset');
    circuit.order('auto');
    circuit.answer(begunDisabled, 'transient');
    expect(circuit.breaker.failureCount).toBe(0);
  });

  it('shadow goes through the states as auto does and refuses nobody', () => {
    const circuit = new CircuitDriver();
    circuit.order('shadow');
    circuit.open();
    expect(circuit.state).toBe('open');
    const wouldBeRefused = circuit.acquire();
    circuit.answer(wouldBeRefused, 'success');
    expect(circuit.state).toBe('open');
    circuit.pass(30_000);
    const probe = circuit.acquire();
    expect(probe.probe).toBe(true);
    expect(circuit.acquire().probe).toBe(false);
    circuit.answer(probe, 'success');
    expect(circuit.state).toBe('closed');
    expect(circuit.reasons).toEqual(['failure_threshold', 'open_period_elapsed', 'probe_succeeded']);
  });

  it('shadow passes its state on to auto undisturbed', () => {
    const circuit = new CircuitDriver();
    circuit.order('shadow');
    circuit.open();
    circuit.order('auto');
    expect(circuit.ask().kind).toBe('refused');
  });

  it('a lease that runs out in shadow mode is reported and still refuses nobody', () => {
    const circuit = new CircuitDriver({ probeLeaseMs: 10 });
    circuit.order('shadow');
    circuit.open();
    circuit.pass(30_000);
    circuit.acquire();
    circuit.pass(10);
    circuit.acquire();
    expect(circuit.reasons.at(-1)).toBe('probe_lease_expired');
  });

  it.each(['open', 'half_open', 'closed'] as const)('reset closes a circuit that is %s and forgets the count', (from) => {
    const circuit = new CircuitDriver();
    circuit.call('transient');
    holdUntil(circuit.breaker, 1e9, circuit.now);
    if (from !== 'closed') circuit.open();
    if (from === 'half_open') circuit.now = 1e9;
    const stale = tryAcquire(circuit.breaker, circuit.now);
    circuit.order('reset');
    expect(circuit.state).toBe('closed');
    expect(circuit.breaker.failureCount).toBe(0);
    expect(isHeld(circuit.breaker, circuit.now)).toBe(false);
    if (stale.kind === 'permit') circuit.answer(stale.permit, 'transient');
    expect(circuit.breaker.failureCount).toBe(0);
    if (from !== 'closed') expect(circuit.transitions.at(-1)).toMatchObject({ from, to: 'closed', reason: 'manual' });
  });

  it('reset ends forced_open and leaves shadow as it is', () => {
    const circuit = new CircuitDriver();
    circuit.order('forced_open');
    circuit.order('reset');
    expect(circuit.breaker.mode).toBe('auto');
    circuit.order('shadow');
    circuit.order('reset');
    expect(circuit.breaker.mode).toBe('shadow');
  });

  it('refuses a command it does not know', () => {
    const circuit = new CircuitDriver();
    expect(() => circuit.order('opne' as 'auto')).toThrow(/"opne".*use auto, forced_open/);
  });
});

describe('new settings', () => {
  it('keep counts, the open period that runs, and the rate window', () => {
    const circuit = new CircuitDriver();
    circuit.call(fail, fail, fail);
    withSettings(circuit.breaker, { failureThreshold: 4, openMs: 5_000 });
    circuit.call('transient');
    expect(circuit.state).toBe('open');
    withSettings(circuit.breaker, { failureThreshold: 4, openMs: 60_000 });
    circuit.pass(5_000);
    expect(circuit.state).toBe('half_open');
  });

  it('keep the calls counted in the window', () => {
    const rate = { windowMs: 10_000, minimumCalls: 10, failureRate: 0.5 };
    const circuit = new CircuitDriver({ failureThreshold: 1_000, rate });
    circuit.call(fail, fail, fail, fail);
    withSettings(circuit.breaker, { failureThreshold: 1_000, rate: { ...rate, minimumCalls: 5 } });
    circuit.call('transient');
    expect(circuit.reasons).toEqual(['failure_rate']);
  });

  it('that are not usable change nothing', () => {
    const circuit = new CircuitDriver();
    expect(() => withSettings(circuit.breaker, { openMs: -1 })).toThrow(RangeError);
    expect(circuit.breaker.settings.openMs).toBe(30_000);
  });
});

describe('settings', () => {
  const rate = { windowMs: 1, minimumCalls: 1, failureRate: 0.5 };
  it.each([
    [{ failureThreshold: 0 }, /breaker\.failureThreshold is 0: set it to a whole number of at least 1/],
    [{ failureThreshold: 2.5 }, /breaker\.failureThreshold is 2\.5/],
    [{ successThreshold: Number.NaN }, /breaker\.successThreshold is NaN/],
    [{ openMs: 0 }, /breaker\.openMs is 0: set it to milliseconds above 0/],
    [{ probeLeaseMs: Number.NaN }, /breaker\.probeLeaseMs is NaN/],
    [{ permanentProbeLimit: -1 }, /breaker\.permanentProbeLimit is -1/],
    [{ rate: { ...rate, failureRate: 50 } }, /breaker\.rate\.failureRate is 50: .*such as 0\.5/],
    [{ rate: { ...rate, slowCallRate: 0.5 } }, /breaker\.rate\.slowCallMs is undefined: set it to milliseconds/],
    [{ rate: { ...rate, slowCallMs: 5, slowCallRate: 0 } }, /breaker\.rate\.slowCallRate is 0/],
  ])('%j is refused with field, value and mend', (settings, message) => {
    expect(() => createBreaker(settings)).toThrow(message);
  });

  it('a wrong type is a TypeError', () => {
    expect(() => createBreaker({ openMs: '30s' as unknown as number })).toThrow(
      new TypeError('breaker.openMs is the text "30s": set it to milliseconds above 0'),
    );
    expect(() => createBreaker(null as unknown as object)).toThrow(TypeError);
  });

  it('an open period without end is allowed and ends with a reset', () => {
    const circuit = new CircuitDriver({ openMs: Number.POSITIVE_INFINITY });
    circuit.open();
    circuit.pass(1e12);
    expect(circuit.state).toBe('open');
    expect(Number.isSafeInteger(peek(circuit.breaker, circuit.now)?.retryAfterMs)).toBe(true);
    circuit.order('reset');
    expect(circuit.state).toBe('closed');
  });
});
