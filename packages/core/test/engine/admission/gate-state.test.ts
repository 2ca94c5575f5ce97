import { describe, expect, it } from 'vitest';
import { holdUntil, restore, save, withSettings } from '../../../src/engine/admission/gate-control.ts';
import { admit, record } from '../../../src/engine/admission/gate.ts';
import { Gate } from '../../../src/engine/admission/gate-state.ts';
import { health } from '../../../src/engine/admission/health.ts';
import type { GateSettings } from '../../../src/engine/admission/types.ts';
import { profiles } from '../../../src/engine/settings/profiles.ts';
import { createGatedTool } from '../../../src/runtime/drivers/tool-runtime.ts';
import { GateDriver } from './gate-driver.ts';

describe('the settings of a gate', () => {
  it.each([
    [{ concurrency: { limit: 0, queue: 0 } }, /concurrency\.limit must be a whole number, 1 or more, got 0/],
    [{ concurrency: { limit: 1, queue: -1 } }, /concurrency\.queue must be a whole number, 0 or more, got -1/],
    [{ rateLimit: { limit: 1e6, windowMs: 1 } }, /rateLimit\.limit must be a whole number from 1 to 100000, got 1000000/],
    [{ rateLimit: { limit: 1 } }, /rateLimit\.windowMs must be .*, got undefined/],
    [{ rateLimit: { limit: 1, windowMs: 0 } }, /rateLimit\.windowMs must be .*, got 0/],
    [{ retryBudget: { ratio: -1, floor: 0, windowMs: 1 } }, /retryBudget\.ratio must be .*, got -1/],
    [{ retryBudget: { ratio: 0, floor: Number.NaN, windowMs: 1 } }, /retryBudget\.floor must be .*, got NaN/],
    [{ retryBudget: { ratio: 0, floor: 0, windowMs: '1s' } }, /retryBudget\.windowMs must be .*, got '1s'/],
    [{ concurrency: 5 }, /concurrency must be an object, got 5/],
    [{ breaker: { openMs: 0 } }, /breaker\.openMs must be .*, got 0/],
    [{ breaker: true }, /breaker must be an object, got true/],
  ])('%j are refused with field, value and fix', (settings, message) => {
    expect(() => new Gate({ breaker: {}, ...settings } as GateSettings)).toThrow(message);
  });

  it('the gate of a tool opens after five failures, whatever the profile', () => {
    for (const profile of Object.values(profiles)) {
      const { gate } = createGatedTool('search', profile.tool);
      for (let nth = 0; nth < 5; nth += 1) {
        expect(health(gate, 0).circuit).toBe('closed');
        const answer = admit(gate, { retry: false }, 0);
        if (answer.kind === 'permit') record(gate, answer.permit, { outcome: 'transient', durationMs: 1 }, 0);
      }
      expect(health(gate, 0)).toMatchObject({ circuit: 'open', failureCount: 5 });
    }
  });

  it('a queue without end is allowed', () => {
    const gate = new GateDriver({ concurrency: { limit: 1, queue: Number.POSITIVE_INFINITY } });
    gate.permit();
    for (let call = 0; call < 1_000; call += 1) gate.wait();
    expect(gate.health.queued).toBe(1_000);
  });
});

describe('new settings', () => {
  it('keep the circuit, its hold and the calls in flight', () => {
    const gate = new GateDriver({ concurrency: { limit: 3, queue: 0 } });
    gate.permit();
    for (let call = 0; call < 3; call += 1) gate.call('transient');
    withSettings(gate.gate, { breaker: { failureThreshold: 4 }, concurrency: { limit: 5, queue: 0 } }, gate.now);
    expect(gate.health).toMatchObject({ failureCount: 3, inFlight: 1 });
    gate.call('transient');
    expect(gate.health.circuit).toBe('open');
  });

  it('wake as many waiters as there are new slots', () => {
    const gate = new GateDriver({ concurrency: { limit: 1, queue: 5 } });
    gate.permit();
    const tickets = [gate.wait(), gate.wait(), gate.wait()];
    const more = withSettings(gate.gate, { breaker: {}, concurrency: { limit: 3, queue: 5 } }, gate.now);
    expect(more.woken).toEqual(tickets.slice(0, 2));
    expect(withSettings(gate.gate, { breaker: {} }, gate.now).woken).toEqual(tickets.slice(2));
  });

  it('a lower limit is reached by attrition', () => {
    const gate = new GateDriver({ concurrency: { limit: 3, queue: 5 } });
    const permits = [gate.permit(), gate.permit(), gate.permit()];
    withSettings(gate.gate, { breaker: {}, concurrency: { limit: 1, queue: 5 } }, gate.now);
    const ticket = gate.wait();
    expect(permits.map((permit) => gate.end(permit).woken)).toEqual([[], [], [ticket]]);
  });

  it('keep what limiter and budget have counted', () => {
    const settings = { rateLimit: { limit: 2, windowMs: 1_000 }, retryBudget: { ratio: 0, floor: 2, windowMs: 1_000 } };
    const gate = new GateDriver(settings);
    gate.permit({ retry: true });
    gate.permit({ retry: true });
    withSettings(gate.gate, { breaker: {}, ...settings, rateLimit: { limit: 3, windowMs: 1_000 } }, gate.now);
    expect(gate.refusal({ retry: true }).code).toBe('RETRY_BUDGET_EXHAUSTED');
    gate.permit();
    expect(gate.refusal().code).toBe('RATE_LIMITED');
    withSettings(gate.gate, { breaker: {}, rateLimit: { limit: 1, windowMs: 1_000 } }, gate.now);
    expect(gate.refusal().retryAfterMs).toBe(1_000);
    withSettings(gate.gate, { breaker: {} }, gate.now);
    expect(gate.ask().kind).toBe('permit');
  });

  it('of the retry budget count at once', () => {
    const gate = new GateDriver({ retryBudget: { ratio: 0, floor: 1, windowMs: 1_000 } });
    gate.permit({ retry: true });
    expect(gate.health.retryBudgetLeft).toBe(0);
    withSettings(gate.gate, { breaker: {}, retryBudget: { ratio: 0, floor: 3, windowMs: 100 } }, gate.now);
    expect(gate.health.retryBudgetLeft).toBe(2);
    gate.pass(100);
    expect(gate.health.retryBudgetLeft).toBe(3);
  });

  it('take the breaker out and put it in again', () => {
    const gate = new GateDriver();
    gate.open();
    expect(withSettings(gate.gate, { breaker: false }, gate.now).transitions).toMatchObject([
      { from: 'open', to: 'closed', reason: 'manual' },
    ]);
    expect(gate.ask().kind).toBe('permit');
    withSettings(gate.gate, { breaker: {} }, gate.now);
    expect(gate.refusal().code).toBe('CIRCUIT_OPEN');
  });

  it('that are not usable change nothing', () => {
    const gate = new GateDriver({ concurrency: { limit: 1, queue: 0 } });
    expect(() => withSettings(gate.gate, { breaker: {}, concurrency: { limit: 9, queue: -1 } }, gate.now)).toThrow(RangeError);
    gate.permit();
    expect(gate.refusal().code).toBe('BULKHEAD_FULL');
  });
});

describe('a gate from outside', () => {
  it('can be held until a moment, and wakes its waiters to hear it', () => {
    const gate = new GateDriver({ concurrency: { limit: 1, queue: 1 } });
    gate.permit();
    const ticket = gate.wait();
    expect(holdUntil(gate.gate, gate.now + 700, gate.now).woken).toEqual([ticket]);
    expect(gate.refusal({ ticket })).toMatchObject({ source: 'server_hint', retryAfterMs: 700 });
  });

  it('is saved and brought back with its circuit', () => {
    const gate = new GateDriver();
    gate.open();
    gate.pass(10_000);
    const saved = save(gate.gate, { now: gate.now, nowEpochMs: 1e12 });
    const there = new GateDriver({ concurrency: { limit: 1, queue: 1 } });
    there.permit();
    const ticket = there.wait();
    expect(restore(there.gate, saved, { now: there.now, nowEpochMs: 1e12 }).woken).toEqual([ticket]);
    expect(there.refusal({ ticket }).retryAfterMs).toBe(20_000);
    const without = new GateDriver({ breaker: false });
    restore(without.gate, saved, { now: without.now, nowEpochMs: 1e12 });
    expect(without.ask().kind).toBe('permit');
  });
});
