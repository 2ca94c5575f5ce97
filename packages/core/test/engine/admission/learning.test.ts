import { describe, expect, it } from 'vitest';
import { admit, createGate, record, release } from '../../../src/engine/admission/gate.ts';
import { health } from '../../../src/engine/admission/health.ts';
import type { Gate, GateSettings, Observation, Permit } from '../../../src/engine/admission/types.ts';

const chance = { failureThreshold: 5, openMs: 250, falseAlarmRate: 1e-6 } as const;

/** A gate that learns, with a clock turned by hand. */
class LearningGate {
  readonly gate: Gate;
  now = 0;

  constructor(settings: Partial<GateSettings> = {}) {
    this.gate = createGate({ breaker: chance, ...settings });
  }

  permit(): Permit {
    const answer = admit(this.gate, { retry: false, timeLimitMs: 100 }, this.now);
    if (answer.kind !== 'permit') throw new Error(`no permit: ${JSON.stringify(answer)}`);
    return answer.permit;
  }

  tell(outcome: Observation['outcome'], more: Partial<Observation> = {}, permit: Permit = this.permit()): this {
    record(this.gate, permit, { outcome, durationMs: 10, ...more }, this.now);
    release(this.gate, permit, this.now);
    return this;
  }

  /** F: failed, S: succeeded, P: at fault itself, N: told nothing. */
  hear(answers: string): this {
    for (const answer of answers)
      this.tell(answer === 'F' ? 'transient' : answer === 'S' ? 'success' : answer === 'P' ? 'permanent' : 'neutral');
    return this;
  }

  get share(): number {
    return health(this.gate, this.now).failureShare ?? Number.NaN;
  }
}

describe('the usual share of failures', () => {
  it.each([
    ['FS', 0.5],
    ['FSS', 1 / 3],
    ['FFSSSSSSSS', 0.2],
    ['FP', 0.5],
  ])('of a tool that answers %s again and again is %f', (answers, share) => {
    const gate = new LearningGate().hear(answers.repeat(300));
    expect(gate.share).toBeGreaterThan(share - 0.06);
    expect(gate.share).toBeLessThan(share + 0.06);
  });

  it('is known after a few answers', () => {
    expect(new LearningGate().hear('FS'.repeat(10)).share).toBeGreaterThan(0.25);
  });

  it('what tells nothing is no part of it', () => {
    const plain = new LearningGate().hear('SSSSFFS'.repeat(3));
    const mixed = new LearningGate().hear('SNSSSNNNFNNNNNNFNS'.repeat(3));
    expect(mixed.share).toBe(plain.share);
  });

  it('an outage is no part of it', () => {
    const gate = new LearningGate().hear('SSSSSSSSSF'.repeat(20)).hear('S');
    const before = gate.share;
    while (gate.gate.breaker.state === 'closed') gate.tell('transient');
    gate.now += 60_000;
    gate.hear('S');
    expect(gate.gate.breaker.state).toBe('closed');
    expect(gate.share).toBe(before);
  });

  it('failures that opened the circuit are one where a probe succeeded at once: they were chance', () => {
    const gate = new LearningGate().hear('SSSSSSSSSF'.repeat(20)).hear('S');
    const before = gate.share;
    while (gate.gate.breaker.state === 'closed') gate.tell('transient');
    gate.now += 300;
    gate.hear('S');
    expect(gate.gate.breaker.state).toBe('closed');
    expect(gate.share).toBeGreaterThan(before + 0.03);
  });

  it('moves ten times slower while somebody waits: the load may be the cause', () => {
    const heard = (waits: boolean): number => {
      const gate = new LearningGate({ concurrency: { limit: 2, queue: 10 } }).hear('S'.repeat(2_000));
      const running = [gate.permit(), gate.permit()];
      for (let nth = 0; waits && nth < 5; nth += 1) admit(gate.gate, { retry: false, waitUntil: 60_000 }, 0);
      gate.tell('transient', {}, running[0]);
      gate.tell('success', {}, running[1]);
      return gate.share;
    };
    expect(heard(true)).toBeLessThan(heard(false) / 4);
    expect(heard(true)).toBeGreaterThan(0);
  });
});

describe('a server that asks for quiet because there are too many requests', () => {
  const limited = { rateLimited: true, retryAfterMs: 700 } as const;

  it('is obeyed by everybody, and nothing is held against it', () => {
    const gate = new LearningGate();
    for (let nth = 0; nth < 40; nth += 1) {
      gate.tell('transient', limited);
      expect(health(gate.gate, gate.now)).toMatchObject({ circuit: 'closed', failureCount: 0, retryAfterMs: 700 });
      gate.now += 700;
    }
    expect(gate.hear('S').share).toBe(0);
  });

  it.each([
    ['names no time', { rateLimited: true }],
    ['has another reason', { retryAfterMs: 700 }],
  ])('one that %s has failed', (_what, more) => {
    const gate = new LearningGate().tell('transient', more);
    expect(health(gate.gate, gate.now).failureCount).toBe(1);
  });

  it('has failed where no false alarm rate is set', () => {
    const gate = new LearningGate({ breaker: { probes: 2 } }).tell('transient', limited);
    expect(health(gate.gate, gate.now)).toMatchObject({ failureCount: 1, retryAfterMs: 700 });
  });
});

describe('answers under load', () => {
  const adaptive = { initialLimit: 10, minLimit: 2, maxLimit: 10 };

  /** Ten run and one waits; so many of twenty answers are failures. */
  function limitAfter(failures: number, more: Partial<Observation> = {}, heardBefore = ''): number {
    const gate = new LearningGate({
      breaker: { ...chance, failureThreshold: 1_000, longestRun: 1_000 },
      concurrency: { limit: 1_000, queue: 100, adaptive },
    }).hear(heardBefore);
    const running = Array.from({ length: 10 }, () => gate.permit());
    admit(gate.gate, { retry: false, waitUntil: 60_000 }, 0);
    for (let nth = 0; nth < 20; nth += 1) {
      const permit = { ...(running[0] as Permit), recorded: false, released: false };
      record(gate.gate, permit, { outcome: nth < failures ? 'transient' : 'success', durationMs: 10, ...more }, 0);
    }
    return health(gate.gate, 0).limit ?? Number.NaN;
  }

  it('many errors while somebody waits are a full queue: the limit falls', () => {
    expect(limitAfter(0)).toBe(10);
    expect(limitAfter(5)).toBe(10);
    expect(limitAfter(12)).toBe(7);
  });

  it('time limits that were passed are no answers', () => {
    expect(limitAfter(12, { timedOut: true })).toBe(10);
  });

  it('nor are as many errors as usual', () => {
    expect(limitAfter(12, {}, 'FFS'.repeat(40))).toBe(10);
  });
});

describe('a budget that successes pay for', () => {
  it('is paid by each of them once', () => {
    const gate = new LearningGate({ retryBudget: { ratio: 1, floor: 1, windowMs: 10_000, of: 'successes' } });
    expect(health(gate.gate, 0).retryBudgetLeft).toBe(1);
    gate.hear('FPNSSS');
    expect(health(gate.gate, 0).retryBudgetLeft).toBe(4);
  });
});
