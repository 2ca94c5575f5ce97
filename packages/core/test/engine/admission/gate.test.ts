import { describe, expect, it } from 'vitest';
import { cancelWait, markOrphaned, returnPermit } from '../../../src/engine/admission/gate.ts';
import { GateDriver } from './gate-driver.ts';

describe('the circuit behind the gate', () => {
  it('opens after five transient failures and answers when to come back', () => {
    const gate = new GateDriver();
    for (let call = 0; call < 4; call += 1) gate.call('transient');
    const fifth = gate.permit();
    expect(gate.answer(fifth, 'transient').transitions).toEqual([
      { from: 'closed', to: 'open', reason: 'failure_threshold', failureCount: 5, openForMs: 30_000 },
    ]);
    gate.pass(12_000);
    expect(gate.refusal()).toEqual({ code: 'CIRCUIT_OPEN', source: 'circuit', retryAfterMs: 18_000 });
    expect(gate.health).toEqual({
      circuit: 'open',
      mode: 'auto',
      failureCount: 5,
      retryAfterMs: 18_000,
      inFlight: 1,
      orphaned: 0,
      queued: 0,
    });
  });

  it('reports the half-opening with the probe, and an expired lease with the caller that sees it', () => {
    const gate = new GateDriver();
    gate.open();
    gate.pass(30_000);
    expect(gate.health.circuit).toBe('half_open');
    expect(gate.ask()).toMatchObject({ kind: 'permit', permit: { probe: true } });
    expect(gate.asked).toMatchObject([{ from: 'open', to: 'half_open' }]);
    expect(gate.refusal()).toEqual({ code: 'CIRCUIT_OPEN', source: 'probe_in_progress', retryAfterMs: 60_000 });
    gate.pass(60_000);
    expect(gate.ask().kind).toBe('refused');
    expect(gate.asked).toMatchObject([{ reason: 'probe_lease_expired' }]);
    gate.pass(30_000);
    gate.permit();
    gate.pass(90_000);
    expect(gate.ask().kind).toBe('permit');
    expect(gate.asked).toMatchObject([{ reason: 'probe_lease_expired' }, { reason: 'open_period_elapsed' }]);
  });

  it('an expired lease is reported in shadow mode too, where the call passes all the same', () => {
    const gate = new GateDriver({ breaker: { failureThreshold: 1 } });
    gate.order('shadow');
    gate.open();
    gate.pass(30_000);
    gate.permit();
    gate.pass(60_000);
    expect(gate.ask().kind).toBe('permit');
    expect(gate.asked).toMatchObject([{ reason: 'probe_lease_expired' }]);
  });

  it('own refusals change nothing in it', () => {
    const gate = new GateDriver({ concurrency: { limit: 1, queue: 0 }, rateLimit: { limit: 2, windowMs: 1_000 } });
    const held = gate.permit();
    const before = JSON.stringify(gate.gate.breaker);
    for (let call = 0; call < 100; call += 1) expect(gate.refusal().code).toBe('BULKHEAD_FULL');
    gate.end(held);
    gate.end(gate.permit());
    for (let call = 0; call < 100; call += 1) expect(gate.refusal().code).toBe('RATE_LIMITED');
    expect(JSON.stringify(gate.gate.breaker)).toBe(before);
  });

  it('a gate without a breaker never opens, and can be forced open', () => {
    const gate = new GateDriver({ breaker: false });
    for (let call = 0; call < 50; call += 1) gate.call('transient');
    expect(gate.health).toMatchObject({ circuit: 'closed', mode: 'disabled' });
    gate.order('forced_open');
    expect(gate.refusal()).toEqual({ code: 'CIRCUIT_OPEN', source: 'forced_open' });
    expect(gate.health.retryAfterMs).toBeUndefined();
    gate.order('auto');
    expect(gate.health.mode).toBe('disabled');
    gate.order('forced_open');
    gate.order('reset');
    expect(gate.health.mode).toBe('disabled');
    for (let call = 0; call < 50; call += 1) gate.call('transient');
  });
});

describe('the order of the questions', () => {
  const full = {
    concurrency: { limit: 1, queue: 5 },
    rateLimit: { limit: 1, windowMs: 1_000 },
    retryBudget: { ratio: 0, floor: 0, windowMs: 1_000 },
  };

  it('circuit, hold, budget, rate limit, bulkhead', () => {
    const gate = new GateDriver(full);
    const permit = gate.permit();
    expect(gate.refusal({ retry: true }).code).toBe('RETRY_BUDGET_EXHAUSTED');
    expect(gate.refusal()).toMatchObject({ code: 'RATE_LIMITED', source: 'limiter', retryAfterMs: 1_000 });
    gate.answer(permit, 'transient', { retryAfterMs: 5_000 });
    expect(gate.refusal({ retry: true })).toMatchObject({ code: 'RATE_LIMITED', source: 'server_hint', retryAfterMs: 5_000 });
    gate.order('forced_open');
    expect(gate.refusal({ retry: true }).source).toBe('forced_open');
    gate.order('auto');
    gate.pass(5_000);
    expect(gate.ask().kind).toBe('wait');
  });

  it('a refusal by a limit never takes the probe', () => {
    const gate = new GateDriver({ ...full, breaker: { failureThreshold: 1, openMs: 100 } });
    const hanging = gate.permit();
    gate.answer(hanging, 'transient');
    gate.pass(100);
    expect(gate.refusal().code).toBe('RATE_LIMITED');
    gate.pass(1_000);
    expect(gate.refusal().code).toBe('BULKHEAD_FULL');
    expect(gate.health).toMatchObject({ circuit: 'half_open' });
    gate.end(hanging);
    expect(gate.permit().probe).toBe(true);
  });

  it('a refusal keeps no token and no share of the budget', () => {
    const gate = new GateDriver({
      concurrency: { limit: 1, queue: 0 },
      rateLimit: { limit: 2, windowMs: 1_000 },
      retryBudget: { ratio: 0, floor: 1, windowMs: 1_000 },
    });
    const held = gate.permit();
    for (let call = 0; call < 20; call += 1) expect(gate.refusal({ retry: true }).code).toBe('BULKHEAD_FULL');
    expect(gate.health.retryBudgetLeft).toBe(1);
    gate.end(held);
    gate.permit({ retry: true });
    expect(gate.health.retryBudgetLeft).toBe(0);
  });
});

describe('the hold a server asks for', () => {
  it('refuses with the time left, without opening, and ends by itself', () => {
    const gate = new GateDriver();
    gate.answer(gate.permit(), 'transient', { retryAfterMs: 2_000 });
    gate.pass(500);
    expect(gate.refusal()).toEqual({ code: 'RATE_LIMITED', source: 'server_hint', retryAfterMs: 1_500 });
    expect(gate.health).toMatchObject({ circuit: 'closed', failureCount: 1, retryAfterMs: 1_500 });
    gate.pass(1_500);
    expect(gate.ask().kind).toBe('permit');
  });

  it('holds back the probe as well', () => {
    const gate = new GateDriver();
    const stale = gate.permit();
    gate.open();
    gate.pass(30_000);
    gate.answer(stale, 'transient', { retryAfterMs: 1_000 });
    expect(gate.refusal()).toMatchObject({ code: 'RATE_LIMITED', source: 'server_hint' });
    gate.pass(1_000);
    expect(gate.permit().probe).toBe(true);
  });

  it('sends the waiters away at once', () => {
    const gate = new GateDriver({ concurrency: { limit: 1, queue: 5 } });
    const held = gate.permit();
    const tickets = [gate.wait(), gate.wait()];
    expect(gate.answer(held, 'transient', { retryAfterMs: 9_000 })).toEqual({ transitions: [], woken: tickets });
    for (const ticket of tickets) expect(gate.refusal({ ticket })).toMatchObject({ code: 'RATE_LIMITED', retryAfterMs: 9_000 });
    expect(gate.health.queued).toBe(0);
  });

  it('is honoured with the circuit disabled or left out, and only watched in shadow mode', () => {
    for (const [settings, command] of [
      [{ breaker: false as const }, 'auto'],
      [{}, 'disabled'],
    ] as const) {
      const gate = new GateDriver(settings);
      gate.order(command);
      gate.answer(gate.permit(), 'transient', { retryAfterMs: 1_000 });
      expect(gate.refusal().source).toBe('server_hint');
    }
    const shadow = new GateDriver();
    shadow.order('shadow');
    shadow.answer(shadow.permit(), 'transient', { retryAfterMs: 1_000 });
    expect(shadow.ask().kind).toBe('permit');
  });
});

describe('slots', () => {
  const one = { concurrency: { limit: 1, queue: 2 } };

  it('are held until the work has ended, whatever was recorded', () => {
    const gate = new GateDriver({ concurrency: { limit: 2, queue: 0 } });
    const hung = [gate.permit(), gate.permit()];
    for (const permit of hung) {
      gate.answer(permit, 'transient');
      markOrphaned(gate.gate, permit);
    }
    for (let call = 0; call < 20; call += 1) expect(gate.refusal().code).toBe('BULKHEAD_FULL');
    expect(gate.health).toMatchObject({ inFlight: 2, orphaned: 2 });
    for (const permit of hung) gate.end(permit);
    expect(gate.health).toMatchObject({ inFlight: 0, orphaned: 0 });
  });

  it('go to those who wait, first come first served, and are kept for them', () => {
    const gate = new GateDriver(one);
    const held = gate.permit();
    const first = gate.wait();
    const second = gate.wait();
    expect(gate.refusal()).toEqual({ code: 'BULKHEAD_FULL', source: 'bulkhead' });
    expect(gate.end(held).woken).toEqual([first]);
    expect(gate.health).toMatchObject({ inFlight: 0, queued: 1 });
    expect(gate.wait()).toBeGreaterThan(second);
    const woken = gate.permit({ ticket: first });
    expect(gate.end(woken).woken).toEqual([second]);
  });

  it('a waiter pays the limits once', () => {
    const gate = new GateDriver({ ...one, rateLimit: { limit: 2, windowMs: 1_000 } });
    const held = gate.permit();
    const ticket = gate.wait();
    gate.end(held);
    gate.end(gate.permit({ ticket }));
    expect(gate.refusal().code).toBe('RATE_LIMITED');
  });

  it('a waiter who gives up frees his place, and a kept slot goes to the next', () => {
    const gate = new GateDriver(one);
    const held = gate.permit();
    const first = gate.wait();
    const second = gate.wait();
    expect(cancelWait(gate.gate, first).woken).toEqual([]);
    const third = gate.wait();
    expect(gate.end(held).woken).toEqual([second]);
    expect(cancelWait(gate.gate, second).woken).toEqual([third]);
    expect(cancelWait(gate.gate, third).woken).toEqual([]);
    expect(gate.ask().kind).toBe('permit');
  });

  it('an opening circuit sends all waiters away at once, each to hear why', () => {
    const gate = new GateDriver({ ...one, breaker: { failureThreshold: 1 } });
    const held = gate.permit();
    const tickets = [gate.wait(), gate.wait()];
    const change = gate.answer(held, 'transient');
    expect(change.woken).toEqual(tickets);
    expect(change.transitions).toHaveLength(1);
    for (const ticket of tickets) expect(gate.refusal({ ticket }).code).toBe('CIRCUIT_OPEN');
    expect(gate.end(held).woken).toEqual([]);
  });

  it('forcing the circuit open sends them away too', () => {
    const gate = new GateDriver(one);
    gate.permit();
    const ticket = gate.wait();
    expect(gate.order('forced_open').woken).toEqual([ticket]);
    expect(gate.refusal({ ticket }).source).toBe('forced_open');
  });

  it('nobody waits behind a probe', () => {
    const gate = new GateDriver({ ...one, breaker: { failureThreshold: 1, openMs: 100 } });
    const hanging = gate.permit();
    gate.answer(hanging, 'transient');
    gate.pass(100);
    expect(gate.refusal().code).toBe('BULKHEAD_FULL');
    gate.end(hanging);
    gate.permit();
    expect(gate.refusal().source).toBe('probe_in_progress');
  });

  it('a waiter turned out by a circuit that closed again meanwhile asks anew, having paid', () => {
    const gate = new GateDriver({ ...one, rateLimit: { limit: 3, windowMs: 1_000 } });
    const held = gate.permit();
    const ticket = gate.wait();
    gate.order('forced_open');
    gate.order('auto');
    const again = gate.ask({ ticket });
    expect(again.kind).toBe('wait');
    expect(gate.end(held).woken).toEqual(again.kind === 'wait' ? [again.ticket] : []);
    gate.wait();
    expect(gate.refusal().code).toBe('RATE_LIMITED');
  });
});

describe('a permit that was never used', () => {
  it('gives back probe and slot and records nothing', () => {
    const gate = new GateDriver({ concurrency: { limit: 1, queue: 0 } });
    gate.open();
    gate.pass(30_000);
    const probe = gate.permit();
    const counters = { ...gate.gate.breaker.counters };
    returnPermit(gate.gate, probe, gate.now);
    expect(gate.gate.breaker.counters).toEqual(counters);
    expect(gate.health).toMatchObject({ circuit: 'half_open', inFlight: 0 });
    expect(gate.permit().probe).toBe(true);
  });

  it('a probe released without a word goes back as well', () => {
    const gate = new GateDriver();
    gate.open();
    gate.pass(30_000);
    gate.end(gate.permit());
    expect(gate.permit().probe).toBe(true);
  });
});
