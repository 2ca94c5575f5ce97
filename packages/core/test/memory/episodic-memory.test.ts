import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EpisodicMemoryOptions } from '../../src/memory/episodic-memory.ts';
import { createEpisodicMemory } from '../../src/memory/episodic-memory.ts';
import type { Decision, StrategyEvidence } from '../../src/recover/decision.ts';
import { inputsWith } from '../support/decision-inputs.ts';

const stamp = { turn_id: 'turn', seq: 1, timestamp: '2025-11-05T10:30:45.000Z', elapsed_ms: 0, tool_id: 'search' };

class Mind {
  readonly memory: ReturnType<typeof createEpisodicMemory>;
  #calls = 0;

  constructor(options?: EpisodicMemoryOptions) {
    this.memory = createEpisodicMemory(options);
  }

  decide(call_id: string, decision: Partial<Decision>, rule = 'status:503'): this {
    const inputs = inputsWith({ rule });
    this.memory.observe({
      ...stamp,
      call_id,
      event_type: 'RecoveryDecided',
      attempt: 1,
      inputs,
      decision: { action: 'retry', reason: '', guards: [], ...decision },
      decided_by: 'built_in',
      message: '',
    });
    return this;
  }

  complete(call_id: string, status: 'success' | 'error', code?: string): this {
    this.memory.observe({
      ...stamp,
      call_id,
      event_type: 'CallCompleted',
      status,
      served_by: 'search',
      attempts: 2,
      execution_time_ms: 1,
      ...(code === undefined ? {} : { code }),
    });
    return this;
  }

  /** A call that failed, was retried, and ended so. */
  retry(status: 'success' | 'error', rule?: string): this {
    this.#calls += 1;
    return this.decide(`c${this.#calls}`, {}, rule).complete(`c${this.#calls}`, status);
  }

  recall(rule = 'status:503'): readonly StrategyEvidence[] {
    return this.memory.recall(inputsWith({ rule }));
  }
}

describe('what it learns', () => {
  it('how retries ended', () => {
    expect(new Mind().retry('success').retry('error').retry('success').recall()).toMatchObject([
      { strategy: 'retry', tried: 3, succeeded: 2 },
    ]);
  });

  it('that retries which needed another decision did not help, as one outcome', () => {
    const mind = new Mind()
      .decide('c', {})
      .decide('c', {})
      .decide('c', { action: 'use_alternative', alternative: 'backup' })
      .complete('c', 'success');
    expect(mind.recall()).toMatchObject([
      { strategy: 'retry', tried: 1, succeeded: 0 },
      { strategy: 'use_alternative', tool_id: 'backup', tried: 1, succeeded: 1 },
    ]);
  });

  it('by kind of error', () => {
    const mind = new Mind().retry('success', 'status:503').retry('error', 'status:429');
    expect(mind.recall('status:429')).toMatchObject([{ strategy: 'retry', tried: 1, succeeded: 0 }]);
    expect(mind.recall('code:ECONNRESET')).toEqual([]);
  });

  it('nothing from failures without a strategy', () => {
    expect(new Mind().decide('c', { action: 'escalate' }).complete('c', 'error').recall()).toEqual([]);
  });

  it('nothing about retries from a call that was cancelled', () => {
    expect(new Mind().decide('c', {}).complete('c', 'error', 'CANCELLED').recall()).toEqual([]);
  });
});

describe('bounds', () => {
  it('keeps the signatures used last', () => {
    const mind = new Mind({ maxEntries: 3 });
    for (const rule of ['a', 'b', 'c', 'a', 'd']) mind.retry('success', rule);
    expect(['a', 'b', 'c', 'd'].map((rule) => mind.recall(rule).length)).toEqual([1, 0, 1, 1]);
  });

  it('keeps the calls seen last', () => {
    const mind = new Mind({ maxOpenCalls: 2 }).decide('one', {}).decide('two', {}).decide('three', {});
    mind.complete('one', 'success').complete('two', 'success').complete('three', 'success');
    expect(mind.recall()).toMatchObject([{ strategy: 'retry', tried: 2, succeeded: 2 }]);
  });

  it('lets old outcomes fade, and follows a service that changed', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 1_000, size: 'max' }), (outcomes) => {
        const mind = new Mind();
        for (const didSucceed of outcomes) mind.retry(didSucceed ? 'success' : 'error');
        const [evidence] = mind.recall();
        const { tried, succeeded } = evidence ?? { tried: 0, succeeded: 0 };
        expect(tried > 0).toBe(outcomes.length > 0);
        expect(tried).toBeLessThan(200);
        expect(succeeded).toBeLessThanOrEqual(tried);
      }),
      { numRuns: 50 },
    );
    const mind = new Mind();
    for (let count = 0; count < 1_000; count++) mind.retry('error');
    for (let count = 0; count < 400; count++) mind.retry('success');
    const [evidence] = mind.recall();
    expect((evidence?.succeeded ?? 0) / (evidence?.tried ?? 1)).toBeGreaterThan(0.8);
  });
});
