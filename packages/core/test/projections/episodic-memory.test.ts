import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EpisodicMemoryOptions } from '../../src/projections/episodic-memory.ts';
import { createEpisodicMemory } from '../../src/projections/episodic-memory.ts';
import { recordInputs } from '../../src/engine/recover/decision-record.ts';
import type { DecisionInputs, StrategyEvidence } from '../../src/engine/recover/decision.ts';
import type { MemoryEntry } from '../../src/engine/recover/memory-entry.ts';
import type { RecordedDecision } from '../../src/engine/trace/events.ts';
import { inputsWith } from '../support/decision-inputs.ts';

const stamp = { turn_id: 'turn', seq: 1, timestamp: '2025-11-05T10:30:45.000Z', elapsed_ms: 0, tool_id: 'search' };

class TestMemory {
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

  /** A call that fails, is retried, and ends with `status`. */
  retry(status: 'success' | 'error', rule?: string): this {
    this.#calls += 1;
    return this.decide(`c${this.#calls}`, {}, rule).complete(`c${this.#calls}`, status);
  }

  recall(rule = 'status:503'): readonly StrategyEvidence[] {
    return this.memory.recall(inputsWith({ rule }));
  }
}

describe('it learns', () => {
  it('how retries ended', () => {
    expect(new TestMemory().retry('success').retry('error').retry('success').recall()).toMatchObject([
      { strategy: 'retry', tried: 3, succeeded: 2 },
    ]);
  });

  it('that retries followed by another decision did not help, as one outcome', () => {
    const memory = new TestMemory()
      .decide('c', {})
      .decide('c', {})
      .decide('c', { action: 'use_alternative', alternative: 'backup' })
      .complete('c', 'success');
    expect(memory.recall()).toMatchObject([
      { strategy: 'retry', tried: 1, succeeded: 0 },
      { strategy: 'use_alternative', toolName: 'backup', tried: 1, succeeded: 1 },
    ]);
  });

  it('separately for each kind of error', () => {
    const memory = new TestMemory().retry('success', 'status:503').retry('error', 'status:429');
    expect(memory.recall('status:429')).toMatchObject([{ strategy: 'retry', tried: 1, succeeded: 0 }]);
    expect(memory.recall('code:ECONNRESET')).toEqual([]);
  });

  it('nothing from failures without a strategy', () => {
    expect(new TestMemory().decide('c', { action: 'escalate' }).complete('c', 'error').recall()).toEqual([]);
  });

  it.each(['CANCELLED', 'TURN_DEADLINE'])('nothing about retries from a call that ended as %s', (code) => {
    const memory = new TestMemory().decide('c', {}).complete('c', 'error', code);
    expect(memory.recall()).toEqual([]);
    // Nor from a later end of the call.
    expect(memory.complete('c', 'success').recall()).toEqual([]);
  });

  it('one outcome per call, even if its end is reported several times', () => {
    const memory = new TestMemory().decide('c', {}).complete('c', 'success').complete('c', 'success');
    expect(memory.recall()).toMatchObject([{ strategy: 'retry', tried: 1, succeeded: 1 }]);
  });

  it('from two kinds of error in one call that the retries of the first did not help', () => {
    const memory = new TestMemory().decide('c', {}, 'status:503').decide('c', {}, 'status:429').complete('c', 'success');
    expect(memory.recall('status:503')).toMatchObject([{ tried: 1, succeeded: 0 }]);
    expect(memory.recall('status:429')).toMatchObject([{ tried: 1, succeeded: 1 }]);
  });

  it.each<readonly [string, Partial<DecisionInputs>]>([
    ['refusals by Holdfast', { failure: 'refused' }],
    ['a neutral failure', { classification: 'neutral' }],
  ])('nothing about retries that ended with %s', (_name, more) => {
    const memory = new TestMemory().decide('c', {}).decide('c', { action: 'fail' }, 'status:503', more).complete('c', 'error');
    expect(memory.recall()).toEqual([]);
  });

  it('how often retries were withheld because of the evidence', () => {
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
    const memory = new TestMemory().decide('unknown', withheld).complete('unknown', 'error');
    expect(memory.recall()).toEqual([]);
    memory.retry('error').decide('c', withheld).complete('c', 'error').decide('d', withheld).complete('d', 'error');
    memory.decide('e', made).complete('e', 'success');
    expect(memory.recall()).toEqual([{ strategy: 'retry', tried: 2, succeeded: 1, withheld: 2 }]);
  });
});

describe('a store', () => {
  const learnedBy = (memory: TestMemory): readonly MemoryEntry[] => memory.memory.takeLearned(1_000);

  it('gets what was learned since the last time, in the order of use', () => {
    const memory = new TestMemory().retry('success', 'a').retry('error', 'b').retry('error', 'a');
    expect(memory.memory.hasLearned).toBe(true);
    const kind = { version: 1, toolName: 'search', category: 'unavailable', savedAtEpochMs: 1_000 };
    expect(learnedBy(memory)).toEqual([
      { ...kind, rule: 'b', outcomes: [{ strategy: 'retry', tried: 1, succeeded: 0, withheld: 0 }] },
      { ...kind, rule: 'a', outcomes: [{ strategy: 'retry', tried: 2, succeeded: 1, withheld: 0 }] },
    ]);
    expect(memory.memory.hasLearned).toBe(false);
    expect(learnedBy(memory)).toEqual([]);
    memory.retry('success', 'a').decide('c', { action: 'use_alternative', alternative: 'backup' }, 'a').complete('c', 'success');
    expect(learnedBy(memory)).toMatchObject([
      {
        rule: 'a',
        outcomes: [
          { strategy: 'retry', tried: 1, succeeded: 1 },
          { strategy: 'use_alternative', toolName: 'backup', tried: 1, succeeded: 1 },
        ],
      },
    ]);
    expect(memory.recall('a')).toMatchObject([{ tried: 3, succeeded: 2 }, { tried: 1 }]);
  });

  it('does not get what it gave', () => {
    const [before, after] = [new TestMemory().retry('error').retry('error'), new TestMemory()];
    after.memory.restore(learnedBy(before));
    expect(after.memory.hasLearned).toBe(false);
    after.retry('success');
    expect(after.recall()).toEqual([{ strategy: 'retry', tried: 3, succeeded: 1, withheld: 0 }]);
    expect(learnedBy(after)).toMatchObject([{ outcomes: [{ tried: 1, succeeded: 1 }] }]);
  });

  it('gives and gets at most the number of entries, those used last', () => {
    const [before, after] = [new TestMemory({ maxEntries: 3 }), new TestMemory({ maxEntries: 2 })];
    for (const rule of ['a', 'b', 'c', 'a', 'd']) before.retry('success', rule);
    const entries = learnedBy(before);
    expect(entries.map(({ rule }) => rule)).toEqual(['c', 'a', 'd']);
    after.memory.restore(entries);
    expect(['c', 'a', 'd'].map((rule) => after.recall(rule).length)).toEqual([0, 1, 1]);
  });

  it('cannot change what is remembered', () => {
    const memory = new TestMemory().retry('error');
    for (const outcome of [...(learnedBy(memory)[0]?.outcomes ?? []), ...memory.recall()]) Object.assign(outcome, { tried: 99 });
    expect(memory.recall()).toMatchObject([{ tried: 1 }]);
  });
});

describe('bounds', () => {
  it('keeps the most recently used signatures', () => {
    const memory = new TestMemory({ maxEntries: 3 });
    for (const rule of ['a', 'b', 'c', 'a', 'd']) memory.retry('success', rule);
    expect(['a', 'b', 'c', 'd'].map((rule) => memory.recall(rule).length)).toEqual([1, 0, 1, 1]);
    memory.retry('success', 'd');
    expect(['a', 'b', 'c', 'd'].map((rule) => memory.recall(rule).length)).toEqual([1, 0, 1, 1]);
  });

  it('keeps the most recent calls', () => {
    const memory = new TestMemory({ maxOpenCalls: 2 }).decide('one', {}).decide('two', {}).decide('three', {});
    memory.complete('one', 'success').complete('two', 'success').complete('three', 'success');
    expect(memory.recall()).toMatchObject([{ strategy: 'retry', tried: 2, succeeded: 2 }]);
  });

  it('lets old outcomes fade and adapts to a service that changed', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 1_000, size: 'max' }), (outcomes) => {
        const memory = new TestMemory();
        for (const didSucceed of outcomes) memory.retry(didSucceed ? 'success' : 'error');
        const [evidence] = memory.recall();
        const { tried, succeeded } = evidence ?? { tried: 0, succeeded: 0 };
        expect(tried > 0).toBe(outcomes.length > 0);
        expect(tried).toBeLessThan(200);
        expect(succeeded).toBeLessThanOrEqual(tried);
      }),
      { numRuns: 50 },
    );
    const full = new TestMemory();
    for (let count = 0; count < 200; count++) full.retry('success');
    expect(full.recall()).toMatchObject([{ tried: 100, succeeded: 100 }]);
    const memory = new TestMemory();
    for (let count = 0; count < 1_000; count++) memory.retry('error');
    for (let count = 0; count < 400; count++) memory.retry('success');
    const [evidence] = memory.recall();
    expect((evidence?.succeeded ?? 0) / (evidence?.tried ?? 1)).toBeGreaterThan(0.8);
  });
});
