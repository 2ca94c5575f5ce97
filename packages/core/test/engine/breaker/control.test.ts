import { describe, expect, it } from 'vitest';
import { createBreaker, holdUntil, isHeld, peek, tryAcquire } from '../../../src/engine/breaker/breaker.ts';
import { withSettings } from '../../../src/engine/breaker/control.ts';
import type { OutcomeKind } from '../../../src/engine/breaker/types.ts';
import { CircuitDriver } from './circuit-driver.ts';

const fail = 'transient';

describe('manual control', () => {
  it('`forced_open` refuses without a retry time until it is changed, and the underlying state continues', () => {
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

  it('`disabled` never refuses and never counts', () => {
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

  it('`shadow` changes its state like `auto` and refuses no call', () => {
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

  it('`shadow` keeps its state when it changes to `auto`', () => {
    const circuit = new CircuitDriver();
    circuit.order('shadow');
    circuit.open();
    circuit.order('auto');
    expect(circuit.ask().kind).toBe('refused');
  });

  it('a lease that expires in `shadow` mode is reported, and no call is refused', () => {
    const circuit = new CircuitDriver({ probeLeaseMs: 10 });
    circuit.order('shadow');
    circuit.open();
    circuit.pass(30_000);
    circuit.acquire();
    circuit.pass(10);
    circuit.acquire();
    expect(circuit.reasons.at(-1)).toBe('probe_lease_expired');
  });

  it.each(['open', 'half_open', 'closed'] as const)('reset closes a circuit that is %s and clears the count', (from) => {
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
    const manual = circuit.transitions.filter((transition) => transition.reason === 'manual');
    expect(manual).toEqual(from === 'closed' ? [] : [{ from, to: 'closed', reason: 'manual', failureCount: 0 }]);
  });

  it('reset ends `forced_open` and keeps `shadow`', () => {
    const circuit = new CircuitDriver();
    circuit.order('forced_open');
    circuit.order('reset');
    expect(circuit.breaker.mode).toBe('auto');
    circuit.order('shadow');
    circuit.order('reset');
    expect(circuit.breaker.mode).toBe('shadow');
  });

  it('refuses an unknown command', () => {
    const circuit = new CircuitDriver();
    expect(() => circuit.order('opne' as 'auto')).toThrow(
      "circuit command must be one of auto, forced_open, disabled, shadow, reset, got 'opne'.",
    );
  });
});

describe('new settings', () => {
  it('keep the counts, the current open period, and the rate window', () => {
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

  it('that are invalid change nothing', () => {
    const circuit = new CircuitDriver();
    expect(() => withSettings(circuit.breaker, { openMs: -1 })).toThrow(RangeError);
    expect(circuit.breaker.settings.openMs).toBe(30_000);
  });
});

describe('settings', () => {
  const rate = { windowMs: 1, minimumCalls: 1, failureRate: 0.5 };
  it.each([
    [{ failureThreshold: 0 }, /breaker\.failureThreshold must be a whole number, 1 or more, got 0/],
    [{ failureThreshold: 2.5 }, /breaker\.failureThreshold must be .*, got 2\.5/],
    [{ successThreshold: Number.NaN }, /breaker\.successThreshold must be .*, got NaN/],
    [{ openMs: 0 }, /breaker\.openMs must be a number of milliseconds above 0, got 0/],
    [{ probeLeaseMs: Number.NaN }, /breaker\.probeLeaseMs must be .*, got NaN/],
    [{ permanentProbeLimit: -1 }, /breaker\.permanentProbeLimit must be .*, got -1/],
    [{ rate: { ...rate, failureRate: 50 } }, /breaker\.rate\.failureRate must be a share above 0 and at most 1, got 50/],
    [{ rate: { ...rate, slowCallRate: 0.5 } }, /breaker\.rate\.slowCallMs must be a number of milliseconds above 0, got undefined/],
    [{ rate: { ...rate, slowCallMs: 5, slowCallRate: 0 } }, /breaker\.rate\.slowCallRate must be .*, got 0/],
    [{ rate: { windowMs: 5 } as never }, /breaker\.rate\.minimumCalls must be .*, got undefined/],
    [{ openMS: 5 } as never, /breaker has no setting 'openMS'. Known: .*openMs/],
  ])('%j is refused with field, value and fix', (settings, message) => {
    expect(() => createBreaker(settings)).toThrow(message);
  });

  it('an undefined setting counts as absent', () => {
    expect(createBreaker({ openMs: undefined as never, failureThreshold: 2 }).settings).toMatchObject({
      openMs: 30_000,
      failureThreshold: 2,
    });
  });

  it('a wrong type is a TypeError', () => {
    expect(() => createBreaker({ openMs: '30s' as unknown as number })).toThrow(
      new TypeError("breaker.openMs must be a number of milliseconds above 0, got '30s'."),
    );
    expect(() => createBreaker(null as unknown as object)).toThrow(TypeError);
  });

  it('an unlimited open period is allowed and ends with a reset', () => {
    const circuit = new CircuitDriver({ openMs: Number.POSITIVE_INFINITY });
    circuit.open();
    circuit.pass(1e12);
    expect(circuit.state).toBe('open');
    expect(Number.isSafeInteger(peek(circuit.breaker, circuit.now)?.retryAfterMs)).toBe(true);
    circuit.order('reset');
    expect(circuit.state).toBe('closed');
  });
});
