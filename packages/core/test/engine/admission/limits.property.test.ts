import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countCall, limiterFor, limiterFreeAt, type RateLimiter } from '../../../src/engine/admission/rate-limiter.ts';
import { budgetFor, budgetFreeAt, payBudget, retriesLeft, type RetryBudget } from '../../../src/engine/admission/retry-budget.ts';
import { GateDriver } from './gate-driver.ts';

describe('the rate limit', () => {
  it('lets at most the limit through any span of the window, and never refuses without need', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.array(fc.nat(40), { maxLength: 150 }), (limit, gaps) => {
        const limiter = limiterFor({ limit, windowMs: 100 }) as RateLimiter;
        const admitted: number[] = [];
        let now = 0;
        for (const gap of gaps) {
          now += gap;
          const inWindow = admitted.filter((time) => time > now - 100).length;
          const free = now >= limiterFreeAt(limiter);
          expect(free).toBe(inWindow < limit);
          if (!free) continue;
          countCall(limiter, now);
          admitted.push(now);
        }
      }),
    );
  });

  it('shows in the health of the tool exactly while it refuses', () => {
    const gate = new GateDriver({ rateLimit: { limit: 1, windowMs: 100 } });
    gate.permit();
    gate.pass(99);
    expect(gate.health.retryAfterMs).toBe(1);
    gate.pass(1);
    expect(gate.health.retryAfterMs).toBeUndefined();
  });

  it('the wait it tells is exact: a moment earlier is refused, then is admitted', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.array(fc.nat(30), { minLength: 1, maxLength: 40 }), (limit, gaps) => {
        const gate = new GateDriver({ rateLimit: { limit, windowMs: 50 } });
        for (const gap of gaps) {
          gate.pass(gap);
          const answer = gate.ask();
          if (answer.kind === 'permit') continue;
          const wait = answer.kind === 'refused' ? (answer.refusal.retryAfterMs ?? 0) : 0;
          gate.pass(wait - 1);
          expect(gate.refusal().code).toBe('RATE_LIMITED');
          gate.pass(1);
          expect(gate.ask().kind).toBe('permit');
        }
      }),
    );
  });
});

describe('the retry budget', () => {
  const attempts = fc.array(fc.record({ retry: fc.boolean(), gap: fc.nat(60) }), { maxLength: 200 });
  const settings = fc.record({ ratio: fc.constantFrom(0, 0.1, 0.2, 0.5, 1), floor: fc.nat(4), windowMs: fc.constant(1_000) });

  it('conserves: retries in the window never exceed the floor and the share of calls', () => {
    fc.assert(
      fc.property(attempts, settings, (events, given) => {
        const budget = budgetFor(given) as RetryBudget;
        const log: { readonly retry: boolean; readonly bucket: number }[] = [];
        let now = 0;
        for (const { retry, gap } of events) {
          now += gap;
          const left = retriesLeft(budget, now);
          const inside = log.filter((entry) => entry.bucket > budget.window.bucketStart - 1_000);
          const retries = inside.filter((entry) => entry.retry).length;
          const allowance = given.floor + given.ratio * (inside.length - retries);
          expect(left > 0).toBe(retries < allowance - 1e-6);
          if (retry && left === 0) continue;
          payBudget(budget, retry, now);
          log.push({ retry, bucket: budget.window.bucketStart });
          expect(retries + (retry ? 1 : 0)).toBeLessThan(Math.max(allowance, retries) + 1);
        }
      }),
    );
  });

  it('what is left is what can be spent', () => {
    fc.assert(
      fc.property(fc.nat(200), settings, (calls, given) => {
        const budget = budgetFor(given) as RetryBudget;
        for (let call = 0; call < calls; call += 1) payBudget(budget, false, 0);
        let spent = 0;
        for (const left = retriesLeft(budget, 0); retriesLeft(budget, 0) > 0; spent += 1) {
          expect(spent).toBeLessThan(left);
          payBudget(budget, true, 0);
        }
        expect(spent).toBe(Math.ceil(Math.round(1e6 * (given.floor + given.ratio * calls)) / 1e6));
      }),
    );
  });

  it('the wait it tells is exact', () => {
    fc.assert(
      fc.property(attempts, settings, (events, given) => {
        const budget = budgetFor(given) as RetryBudget;
        let now = 0;
        for (const { retry, gap } of events) {
          now += gap;
          if (!retry || retriesLeft(budget, now) > 0) payBudget(budget, retry, now);
        }
        fc.pre(retriesLeft(budget, now) === 0);
        const freeAt = budgetFreeAt(budget, now);
        const last = freeAt ?? now + 1_000;
        for (let time = now; time < last; time += 1) expect(retriesLeft(budget, time)).toBe(0);
        expect(retriesLeft(budget, last) > 0).toBe(freeAt !== undefined);
      }),
    );
  });

  it('a quiet tool keeps its floor and nothing else', () => {
    const gate = new GateDriver({ retryBudget: { ratio: 1, floor: 2, windowMs: 1_000 } });
    for (let call = 0; call < 10; call += 1) gate.call('success');
    expect(gate.health.retryBudgetLeft).toBe(12);
    gate.pass(1_000);
    expect(gate.health.retryBudgetLeft).toBe(2);
    gate.call('success', { retry: true });
    gate.call('success', { retry: true });
    expect(gate.refusal({ retry: true })).toEqual({ code: 'RETRY_BUDGET_EXHAUSTED', source: 'budget', retryAfterMs: 1_000 });
    gate.pass(1_000);
    expect(gate.ask({ retry: true }).kind).toBe('permit');
  });

  it('says no time where none can be known', () => {
    const gate = new GateDriver({ retryBudget: { ratio: 0.5, floor: 0, windowMs: 1_000 } });
    expect(gate.refusal({ retry: true })).toEqual({ code: 'RETRY_BUDGET_EXHAUSTED', source: 'budget' });
  });
});
