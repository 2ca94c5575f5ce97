import { describe, expect, it } from 'vitest';
import { cancelWait, markOrphaned, returnPermit, unchanged } from '../../../src/engine/admission/gate.ts';
import { countCall, limiterFor, limiterFreeAt, type RateLimiter } from '../../../src/engine/admission/rate-limiter.ts';
import { GateDriver } from './gate-driver.ts';

const one = { concurrency: { limit: 1, queue: 3 } };

describe('permits used more than once', () => {
  it('a second release frees nothing', () => {
    const gate = new GateDriver({ concurrency: { limit: 2, queue: 0 } });
    const first = gate.permit();
    gate.permit();
    gate.end(first);
    expect(gate.end(first)).toBe(unchanged);
    expect(gate.health.inFlight).toBe(1);
    gate.permit();
    expect(gate.refusal().code).toBe('BULKHEAD_FULL');
  });

  it('a second record counts nothing', () => {
    const gate = new GateDriver();
    const permit = gate.permit();
    for (let time = 0; time < 10; time += 1) gate.answer(permit, 'transient');
    expect(gate.health).toMatchObject({ failureCount: 1, circuit: 'closed' });
    expect(gate.gate.breaker.counters.transient).toBe(1);
  });

  it('a record after the release still counts, once', () => {
    const gate = new GateDriver();
    const permit = gate.permit();
    gate.end(permit);
    gate.answer(permit, 'transient');
    gate.answer(permit, 'transient');
    expect(gate.health).toMatchObject({ failureCount: 1, inFlight: 0 });
  });

  it('a probe released and recorded afterwards moves nothing: its slot continued', () => {
    const gate = new GateDriver();
    gate.open();
    gate.pass(30_000);
    const probe = gate.permit();
    gate.end(probe);
    const next = gate.permit();
    gate.answer(probe, 'transient');
    expect(gate.health.circuit).toBe('half_open');
    gate.answer(next, 'success');
    expect(gate.health.circuit).toBe('closed');
  });

  it('returned twice, or returned and then used, it counts and frees nothing', () => {
    const gate = new GateDriver(one);
    const permit = gate.permit();
    returnPermit(gate.gate, permit, gate.now);
    const other = gate.permit();
    expect(returnPermit(gate.gate, permit, gate.now)).toBe(unchanged);
    expect(gate.answer(permit, 'transient')).toBe(unchanged);
    expect(gate.end(permit)).toBe(unchanged);
    markOrphaned(gate.gate, permit);
    expect(gate.health).toMatchObject({ inFlight: 1, orphaned: 0, failureCount: 0 });
    gate.end(other);
  });

  it('returned after its record it only frees the slot', () => {
    const gate = new GateDriver();
    gate.open();
    gate.pass(30_000);
    const probe = gate.permit();
    gate.answer(probe, 'permanent');
    const next = gate.permit();
    returnPermit(gate.gate, probe, gate.now);
    expect(gate.refusal().source).toBe('probe_in_progress');
    gate.end(next);
  });

  it('orphaned twice it is one orphan, and the count returns to 0', () => {
    const gate = new GateDriver();
    const permit = gate.permit();
    markOrphaned(gate.gate, permit);
    markOrphaned(gate.gate, permit);
    expect(gate.health.orphaned).toBe(1);
    gate.end(permit);
    gate.end(permit);
    expect(gate.health.orphaned).toBe(0);
  });

  it('a hung probe that ends after its lease has failed', () => {
    const gate = new GateDriver();
    gate.open();
    gate.pass(30_000);
    const probe = gate.permit();
    gate.pass(60_000);
    expect(gate.end(probe).transitions).toMatchObject([{ reason: 'probe_lease_expired' }]);
    expect(gate.health.circuit).toBe('open');
  });
});

describe('tickets used wrongly', () => {
  it('one that was used, cancelled or never given asks as a newcomer', () => {
    const gate = new GateDriver({ ...one, rateLimit: { limit: 2, windowMs: 1_000 } });
    const held = gate.permit();
    const ticket = gate.wait();
    gate.end(held);
    gate.end(gate.permit({ ticket }));
    for (const used of [ticket, 0, -1, 999, Number.NaN]) expect(gate.refusal({ ticket: used }).code).toBe('RATE_LIMITED');
  });

  it('one that was not woken yet loses its place and queues again', () => {
    const gate = new GateDriver(one);
    gate.permit();
    const early = gate.wait();
    const patient = gate.wait();
    const again = gate.ask({ ticket: early });
    expect(again).toMatchObject({ kind: 'wait' });
    expect(gate.health.queued).toBe(2);
    expect(cancelWait(gate.gate, patient)).toBe(unchanged);
    expect(gate.health.queued).toBe(1);
  });

  it('cancelling twice does nothing', () => {
    const gate = new GateDriver(one);
    const held = gate.permit();
    const ticket = gate.wait();
    cancelWait(gate.gate, ticket);
    expect(cancelWait(gate.gate, ticket)).toBe(unchanged);
    gate.end(held);
    expect(gate.ask().kind).toBe('permit');
  });

  it('the shared answer cannot be altered', () => {
    expect(Object.isFrozen(unchanged) && Object.isFrozen(unchanged.woken) && Object.isFrozen(unchanged.transitions)).toBe(true);
  });
});

describe('strange clocks', () => {
  it('a clock that slips back a little admits nobody early', () => {
    const gate = new GateDriver({ rateLimit: { limit: 1, windowMs: 1_000 } });
    gate.permit();
    gate.pass(-5);
    expect(gate.refusal().retryAfterMs).toBe(1_000);
    gate.pass(1_004);
    expect(gate.refusal().retryAfterMs).toBe(1);
    gate.pass(1);
    expect(gate.ask().kind).toBe('permit');
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('a reading of %d is not believed', (reading) => {
    const gate = new GateDriver();
    gate.open();
    const real = gate.now;
    gate.now = reading;
    expect(gate.refusal().retryAfterMs).toBe(30_000);
    gate.now = real + 30_000;
    expect(gate.permit().probe).toBe(true);
  });

  it('a limiter at huge times still answers numbers', () => {
    const limiter = limiterFor({ limit: 2, windowMs: Number.MAX_VALUE }) as RateLimiter;
    for (const now of [1e300, Number.MAX_VALUE, Number.MAX_VALUE]) countCall(limiter, now);
    expect(limiterFreeAt(limiter)).toBeGreaterThan(0);
  });
});

describe('bounded memory', () => {
  it('a hundred thousand calls through every limit leave nothing behind', () => {
    const gate = new GateDriver({ ...one, rateLimit: { limit: 50, windowMs: 10 }, retryBudget: { ratio: 0.1, floor: 5, windowMs: 100 } });
    for (let call = 0; call < 100_000; call += 1) {
      gate.pass(1);
      const held = gate.permit();
      const ticket = gate.wait();
      gate.answer(held, call % 3 === 0 ? 'transient' : 'success');
      gate.end(held);
      if (call % 2 === 0) cancelWait(gate.gate, ticket);
      else gate.end(gate.permit({ ticket }));
    }
    expect(gate.gate.bulkhead.waiters.size).toBe(0);
    expect(gate.health).toMatchObject({ inFlight: 0, queued: 0, orphaned: 0 });
  });
});
