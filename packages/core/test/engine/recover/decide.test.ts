import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/engine/recover/decide.ts';
import type { DecisionAction, DecisionInputs, MatchedRule, Strategy } from '../../../src/engine/recover/decision.ts';
import { mayTake } from '../../../src/engine/recover/error-handler.ts';
import { matchRules, ruleFor } from '../../../src/engine/recover/recovery-rules.ts';
import { anyInputs, backup, inputsWith } from '../../support/decision-inputs.ts';
import { when } from '../../support/when.ts';

const archive = { tool_id: 'archive', circuit_breaker_state: 'closed' as const, available: true };
const says = (effect: MatchedRule['effect'], strategy: Strategy, rule = 'house rule'): MatchedRule => ({ rule, effect, strategy });

describe('each guard, on both sides of its limit', () => {
  const table: readonly (readonly [string, Partial<DecisionInputs>, DecisionAction, string?])[] = [
    ['all is well', {}, 'retry'],
    ['permanent', { classification: 'permanent' }, 'escalate'],
    ['neutral: refused', { classification: 'neutral', failure: 'refused' }, 'escalate'],
    ['neutral: cancelled', { classification: 'neutral' }, 'fail'],
    ['circuit half open', { circuit_breaker_state: 'half_open' }, 'retry'],
    ['circuit open', { circuit_breaker_state: 'open' }, 'escalate', 'circuit'],
    ['failed probe', { probe: true }, 'escalate', 'circuit'],
    ['unsafe, but surely not done', { effect: 'unsafe' }, 'retry'],
    ['perhaps done, but idempotent', { effect: 'idempotent', ambiguous: true }, 'retry'],
    ['perhaps done, undeclared', { ambiguous: true }, 'retry'],
    ['perhaps done and unsafe', { effect: 'unsafe', ambiguous: true }, 'escalate', 'policy'],
    ['fourth of five attempts', { attempts: 4 }, 'retry'],
    ['fifth of five attempts', { attempts: 5 }, 'escalate', 'attempts'],
    ['next attempt 1 ms before the end of the retry time', { retry_elapsed_ms: 1_899 }, 'retry'],
    ['next attempt at the end of the retry time', { retry_elapsed_ms: 1_900 }, 'escalate', 'budget'],
    ['delay a little shorter than the turn', { turn_time_left_ms: 101 }, 'retry'],
    ['delay as long as the turn', { turn_time_left_ms: 100 }, 'escalate', 'deadline'],
    ['one retry left in the budget', { retry_budget_left: 1 }, 'retry'],
    ['less than one retry left in the budget', { retry_budget_left: 0.9 }, 'escalate', 'budget'],
    ['one retry left in the turn', { turn_retries_left: 1 }, 'retry'],
    ['no retry left in the turn', { turn_retries_left: 0 }, 'escalate', 'budget'],
    ['optional', { classification: 'permanent', optional: true }, 'fail'],
    ['alternative there', { classification: 'permanent', alternatives: [backup] }, 'use_alternative'],
    ['alternative not available', { classification: 'permanent', alternatives: [{ ...backup, available: false }] }, 'escalate'],
    ['alternative after a cancel', { classification: 'neutral', alternatives: [backup] }, 'fail'],
    ['alternative after a refusal', { classification: 'neutral', failure: 'refused', alternatives: [backup] }, 'use_alternative'],
    ['alternative for what was perhaps done', { effect: 'unsafe', ambiguous: true, alternatives: [backup] }, 'escalate', 'policy'],
    ['fallback', { classification: 'permanent', fallback_available: true }, 'use_default'],
    ['fallback after a cancel', { classification: 'neutral', fallback_available: true }, 'fail'],
    ['alternative before fallback', { classification: 'permanent', alternatives: [backup], fallback_available: true }, 'use_alternative'],
    ['retry before alternative', { alternatives: [backup], fallback_available: true }, 'retry'],
    ['a part at a timeout', { failure: 'timeout', partial_available: true, accept_partial: true }, 'accept_partial'],
    ['a part, not wanted', { failure: 'timeout', partial_available: true }, 'retry'],
    ['a part, but an error', { partial_available: true, accept_partial: true }, 'retry'],
  ];

  it.each(table.map(([name, more, action, stoppedBy]) => ({ name, more, action, stoppedBy })))('$name', ({ more, action, stoppedBy }) => {
    const decision = decide(inputsWith(more));
    expect(decision.action).toBe(action);
    expect(decision.stopped_by).toBe(stoppedBy);
  });

  it('says why in the words of the sources', () => {
    expect(decide(inputsWith()).reason).toBe('Transient error + circuit closed + retries available');
    expect(decide(inputsWith({ classification: 'permanent' })).reason).toBe('Permanent error (no retry)');
    expect(decide(inputsWith({ attempts: 5 })).reason).toBe('Attempts exhausted (5 of 5)');
    expect(decide(inputsWith({ circuit_breaker_state: 'open', alternatives: [backup] })).reason).toBe(
      'Circuit open; alternative backup available',
    );
  });
});

describe('policies', () => {
  it.each<readonly [string, readonly MatchedRule[], DecisionAction]>([
    ['deny retry', [says('deny', 'retry')], 'use_alternative'],
    ['deny retry and alternatives', [says('deny', 'retry'), says('deny', 'use_alternative')], 'use_default'],
    ['deny all', [says('deny', 'retry'), says('deny', 'use_alternative'), says('deny', 'use_default')], 'escalate'],
    ['allow before deny', [says('allow', 'retry'), says('deny', 'retry')], 'retry'],
    ['deny before allow', [says('deny', 'retry'), says('allow', 'retry')], 'use_alternative'],
    ['prefer an alternative', [says('prefer', 'use_alternative')], 'use_alternative'],
    ['prefer what is denied', [says('deny', 'use_alternative'), says('prefer', 'use_alternative')], 'retry'],
    ['prefer the fallback', [says('prefer', 'use_default')], 'use_default'],
  ])('%s', (_name, policies, action) => {
    expect(decide(inputsWith({ policies, alternatives: [backup], fallback_available: true })).action).toBe(action);
  });

  it('match on every named field', () => {
    const rules = [
      {
        name: 'money',
        when: { tool: ['pay'], classification: ['transient'], effect: ['unsafe'] },
        deny: ['retry' as const],
        reason: 'never twice',
      },
    ];
    const facts = inputsWith({ tool_id: 'pay', effect: 'unsafe' });
    expect(matchRules(rules, facts)).toEqual([{ rule: 'money', effect: 'deny', strategy: 'retry', reason: 'never twice' }]);
    expect(matchRules(rules, { ...facts, tool_id: 'payment' })).toEqual([]);
    expect(matchRules(rules, inputsWith({ tool_id: 'pay' }))).toEqual([]);
    expect(matchRules([{ name: 'always', prefer: 'use_default' }], facts)).toHaveLength(1);
  });
});

describe('evidence', () => {
  const retries = (succeeded: number, tried: number): DecisionInputs['evidence'][number] => ({ strategy: 'retry', tried, succeeded });
  const helped = (tool_id: string, succeeded: number, tried: number): DecisionInputs['evidence'][number] => ({
    strategy: 'use_alternative',
    tool_id,
    tried,
    succeeded,
  });

  const table: readonly (readonly [string, DecisionInputs['evidence'], DecisionAction, string?])[] = [
    ['nine failed retries prove nothing', [retries(0, 9)], 'retry'],
    ['ten failed retries are enough', [retries(0, 10)], 'use_alternative', 'backup'],
    ['5 % is hope', [retries(1, 20)], 'retry'],
    ['less than 5 % is none', [retries(1, 21)], 'use_alternative', 'backup'],
    ['a dependable alternative comes before poor retries', [retries(3, 20), helped('archive', 18, 20)], 'use_alternative', 'archive'],
    ['but not before good ones', [retries(15, 20), helped('archive', 20, 20)], 'retry'],
    ['nor where retries are not known', [helped('archive', 20, 20)], 'retry'],
  ];

  it.each(table.map(([name, evidence, action, alternative]) => ({ name, evidence, action, alternative })))(
    '$name',
    ({ evidence, action, alternative }) => {
      const decision = decide(inputsWith({ evidence, alternatives: [backup, archive] }));
      expect(decision).toMatchObject({ action, ...(alternative === undefined ? {} : { alternative }) });
      when(action !== 'retry', () => expect(decision.reason).toMatch(/\d+ of \d+/));
    },
  );
});

describe('for whatever inputs', () => {
  it('never breaks its second invariant, and says the same again', { timeout: 30_000 }, () => {
    fc.assert(
      fc.property(anyInputs, (inputs) => {
        const decision = decide(inputs);
        expect(decide(inputs)).toEqual(decision);
        expect(decision.reason.length).toBeGreaterThan(0);
        const isUnsafe = inputs.ambiguous && inputs.effect === 'unsafe';
        when(decision.action === 'retry', () => {
          expect(inputs.classification).toBe('transient');
          expect(inputs.circuit_breaker_state).not.toBe('open');
          expect(inputs.probe || isUnsafe).toBe(false);
          expect(inputs.attempts).toBeLessThan(inputs.max_attempts);
          expect(inputs.retry_elapsed_ms + inputs.next_delay_ms).toBeLessThan(inputs.max_total_time_ms);
          expect(inputs.next_delay_ms).toBeLessThan(inputs.turn_time_left_ms ?? Number.POSITIVE_INFINITY);
          expect(Math.min(inputs.retry_budget_left ?? 1, inputs.turn_retries_left ?? 1)).toBeGreaterThanOrEqual(1);
          expect(decision.delay_ms).toBe(inputs.next_delay_ms);
        });
        when(decision.action === 'use_alternative', () => {
          expect(isUnsafe).toBe(false);
          expect(inputs.alternatives.some(({ tool_id, available }) => available && tool_id === decision.alternative)).toBe(true);
        });
        when(decision.action === 'use_default', () => expect(inputs.fallback_available).toBe(true));
        when(decision.action === 'accept_partial', () =>
          expect(inputs.partial_available && inputs.accept_partial && inputs.failure === 'timeout').toBe(true),
        );
        when(decision.action !== 'escalate' && decision.action !== 'fail', () =>
          expect(ruleFor(inputs.policies, decision.action as Strategy)?.effect).not.toBe('deny'),
        );
        when(decision.action === 'escalate', () => expect(inputs.optional).toBe(false));
      }),
      { numRuns: 3_000 },
    );
  });

  it('evidence never brings about a retry that was not allowed without it', () => {
    fc.assert(
      fc.property(anyInputs, (inputs) => {
        if (decide(inputs).action !== 'retry') return;
        const onlyRetry = { evidence: [], alternatives: [], fallback_available: false, accept_partial: false };
        expect(decide({ ...inputs, ...onlyRetry }).action).toBe('retry');
      }),
      { numRuns: 1_000 },
    );
  });

  it('an advisor may always have what was decided anyway', () => {
    fc.assert(
      fc.property(anyInputs, (inputs) => mayTake(decide(inputs), inputs)),
      { numRuns: 2_000 },
    );
  });
});
