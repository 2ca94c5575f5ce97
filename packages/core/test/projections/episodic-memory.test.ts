import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EpisodicMemoryOptions } from '../../src/projections/episodic-memory.ts';
import { createEpisodicMemory } from '../../src/projections/episodic-memory.ts';
import { recordInputs } from '../../src/engine/recover/decision-record.ts';
import type { DecisionInputs, StrategyEvidence } from '../../src/engine/recover/decision.ts';
import type { RecordedDecision } from '../../src/engine/trace/events.ts';
import { inputsWith } from '../support/decision-inputs.ts';

const stamp = { turn_id: 'turn', seq: 1, timestamp: '2025-11-05T10:30:45.000Z', elapsed_ms: 0, tool_id: 'search' };

class Mind {
  readonly memory: ReturnType<typeof createEpisodicMemory>;
  #calls = 0;

  constructor(options?: EpisodicMemoryOptions) {
    this.memory = createEpisodicMemory(options);
  }

  decide(call_id: string, decision: Partial<RecordedDecision>, rule = 'status:503', more: Partial<DecisionInputs> = {}): this {
    const inputs = inputsWith({ rule, ...more });
    this.memory.observe({
      ...stamp,
      call_id,
      event_type: 'RecoveryDecided',
      attempt: 1,
      inputs: recordInputs(inputs),
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
      { strategy: 'use_alternative', toolName: 'backup', tried: 1, succeeded: 1 },
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

  it.each(['CANCELLED', 'TURN_DEADLINE'])('nothing about retries from a call that ended as %s', (code) => {
    const mind = new Mind().decide('c', {}).complete('c', 'error', code);
    expect(mind.recall()).toEqual([]);
    // Nor from what comes of it later.
    expect(mind.complete('c', 'success').recall()).toEqual([]);
  });

  it('one outcome of a call, however often its end is told', () => {
    const mind = new Mind().decide('c', {}).complete('c', 'success').complete('c', 'success');
    expect(mind.recall()).toMatchObject([{ strategy: 'retry', tried: 1, succeeded: 1 }]);
  });

  it('of two kinds of error in one call, that the retries of the first did not help', () => {
    const mind = new Mind().decide('c', {}, 'status:503').decide('c', {}, 'status:429').complete('c', 'success');
    expect(mind.recall('status:503')).toMatchObject([{ tried: 1, succeeded: 0 }]);
    expect(mind.recall('status:429')).toMatchObject([{ tried: 1, succeeded: 1 }]);
  });

  it.each<readonly [string, Partial<DecisionInputs>]>([
    ['our own refusals', { failure: 'refused' }],
    ['what was nobody’s fault', { classification: 'neutral' }],
  ])('nothing about retries that ran into %s', (_name, more) => {
    const mind = new Mind().decide('c', {}).decide('c', { action: 'fail' }, 'status:503', more).complete('c', 'error');
    expect(mind.recall()).toEqual([]);
  });

  it('how often retries were not made because of what is known', () => {
    const withheld = {
      action: 'fail',
      guards: [
        { guard: 'attempts', passed: true, value: 1 },
        { guard: 'worth_retrying', passed: false, value: 0 },
      ],
    } as const;
    const made = {
      guards: [
        { guard: 'attempts', passed: false, value: 1 },
        { guard: 'worth_retrying', passed: true, value: 1 },
      ],
    } as const;
    const mind = new Mind().decide('unknown', withheld).complete('unknown', 'error');
    expect(mind.recall()).toEqual([]);
    mind.retry('error').decide('c', withheld).complete('c', 'error').decide('d', withheld).complete('d', 'error');
    mind.decide('e', made).complete('e', 'success');
    expect(mind.recall()).toEqual([{ strategy: 'retry', tried: 2, succeeded: 1, withheld: 2 }]);
  });
});

describe('bounds', () => {
  it('keeps the signatures used last', () => {
    const mind = new Mind({ maxEntries: 3 });
    for (const rule of ['a', 'b', 'c', 'a', 'd']) mind.retry('success', rule);
    expect(['a', 'b', 'c', 'd'].map((rule) => mind.recall(rule).length)).toEqual([1, 0, 1, 1]);
    mind.retry('success', 'd');
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
    const full = new Mind();
    for (let count = 0; count < 200; count++) full.retry('success');
    expect(full.recall()).toMatchObject([{ tried: 100, succeeded: 100 }]);
    const mind = new Mind();
    for (let count = 0; count < 1_000; count++) mind.retry('error');
    for (let count = 0; count < 400; count++) mind.retry('success');
    const [evidence] = mind.recall();
    expect((evidence?.succeeded ?? 0) / (evidence?.tried ?? 1)).toBeGreaterThan(0.8);
  });
});
