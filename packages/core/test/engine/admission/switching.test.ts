import { describe, expect, it } from 'vitest';
import { restore, save, withSettings } from '../../../src/engine/admission/gate-control.ts';
import { admit } from '../../../src/engine/admission/gate.ts';
import { Gate } from '../../../src/engine/admission/gate-state.ts';
import type { GateSettings } from '../../../src/engine/admission/types.ts';
import { GateDriver } from './gate-driver.ts';

const settle = (gate: GateDriver, settings: GateSettings): void => void withSettings(gate.gate, settings, gate.now);

describe('new settings', () => {
  it('that take the breaker away disable it, and bring it back', () => {
    const gate = new GateDriver({ breaker: { failureThreshold: 1 } });
    settle(gate, { breaker: false });
    expect(gate.health.mode).toBe('disabled');
    gate.call('transient');
    expect(gate.health.circuit).toBe('closed');
    settle(gate, { breaker: { failureThreshold: 1 } });
    expect(gate.health.mode).toBe('auto');
  });

  it('leave a breaker in the mode that somebody chose', () => {
    const gate = new GateDriver();
    gate.order('shadow');
    settle(gate, { breaker: { failureThreshold: 3 } });
    expect(gate.health.mode).toBe('shadow');
  });

  it('leave a circuit that was forced open as it is', () => {
    const gate = new GateDriver();
    gate.order('forced_open');
    settle(gate, { breaker: false });
    expect(gate.health.mode).toBe('forced_open');
    settle(gate, { breaker: {} });
    expect(gate.health.mode).toBe('forced_open');
  });

  it('that cannot be used change nothing', () => {
    const gate = new GateDriver({ concurrency: { limit: 2, queue: 0 } });
    expect(() => settle(gate, { breaker: { failureThreshold: 0 }, concurrency: { limit: 1, queue: 0 } })).toThrow(RangeError);
    gate.permit();
    expect(gate.ask().kind).toBe('permit');
  });
});

describe('a gate without a breaker', () => {
  it.each(['auto', 'shadow', 'disabled', 'reset'] as const)('has none after %s', (command) => {
    const gate = new GateDriver({ breaker: false });
    gate.order(command);
    expect(gate.health.mode).toBe('disabled');
  });

  it('comes back forced open, but in no other mode', () => {
    const modes = (['forced_open', 'shadow'] as const).map((mode) => {
      const before = new GateDriver();
      before.order(mode);
      const after = new GateDriver({ breaker: false });
      const clock = { now: 1_000, nowEpochMs: 1_700_000_000_000 };
      restore(after.gate, save(before.gate, clock), clock);
      return after.health.mode;
    });
    expect(modes).toEqual(['forced_open', 'disabled']);
  });
});

it('a gate whose parts are all switched off stops nobody', () => {
  const gate = new GateDriver({ breaker: false, concurrency: false, rateLimit: false, retryBudget: false });
  for (let call = 0; call < 100; call++) gate.permit({ retry: true });
  expect(gate.health).toEqual({ circuit: 'closed', mode: 'disabled', failureCount: 0, inFlight: 100, orphaned: 0, queued: 0 });
});

it('calls may wait before an open circuit that blocks nobody', () => {
  const gate = new GateDriver({ breaker: { failureThreshold: 1 }, concurrency: { limit: 1, queue: 5 } });
  gate.order('shadow');
  gate.open();
  gate.permit();
  expect(gate.health.circuit).toBe('open');
  expect(gate.ask().kind).toBe('wait');
});

it('a probe has its own time limit, and a second, before it counts as lost', () => {
  const gate = new GateDriver({ breaker: { failureThreshold: 1 } });
  gate.open();
  gate.pass(30_000);
  expect(admit(gate.gate, { retry: false, timeLimitMs: 120_000 }, gate.now).kind).toBe('permit');
  gate.pass(120_999);
  expect(gate.refusal()).toMatchObject({ source: 'probe_in_progress', retryAfterMs: 1 });
  gate.pass(1);
  expect(gate.ask().kind).toBe('refused');
  expect(gate.asked).toMatchObject([{ reason: 'probe_lease_expired' }]);
});

it('a gate is not made with a breaker that cannot be', () => {
  expect(() => new Gate({ breaker: { failureThreshold: 0 } })).toThrow('failureThreshold must be a whole number, 1 or more, got 0.');
});
