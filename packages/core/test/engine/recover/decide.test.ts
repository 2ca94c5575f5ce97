import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/engine/recover/decide.ts';
import type { DecisionAction, DecisionInputs, MatchedRule, Strategy } from '../../../src/engine/recover/decision.ts';
import { mayTake } from '../../../src/engine/recover/error-handler.ts';
import { matchRules, ruleFor } from '../../../src/engine/recover/recovery-rules.ts';
import { anyInputs, backup, inputsWith } from '../../support/decision-inputs.ts';
import { when } from '../../support/when.ts';

const archive = { toolName: 'archive', circuit: 'closed' as const, available: true };
const says = (effect: MatchedRule['effect'], strategy: Strategy, rule = 'house rule'): MatchedRule => ({ rule, effect, strategy });

describe('each guard, on both sides of its limit', () => {
  const table: readonly (readonly [string, Partial<DecisionInputs>, DecisionAction, string?])[] = [
    ['no obstacle', {}, 'retry'],
    ['permanent', { classification: 'permanent' }, 'escalate'],
    ['neutral: refused', { classification: 'neutral', failure: 'refused' }, 'escalate'],
    ['neutral: cancelled', { classification: 'neutral' }, 'fail'],
    ['circuit half open', { circuit: 'half_open' }, 'retry'],
    ['circuit open', { circuit: 'open' }, 'escalate', 'circuit'],
    ['failed probe', { probe: true }, 'escalate', 'circuit'],
    ['unsafe, but unambiguous', { effect: 'unsafe' }, 'retry'],
    ['ambiguous, but idempotent', { effect: 'idempotent', ambiguous: true }, 'retry'],
    ['ambiguous, without a declared effect', { ambiguous: true }, 'retry'],
    ['ambiguous and unsafe', { effect: 'unsafe', ambiguous: true }, 'escalate', 'policy'],
    ['fourth of five attempts', { attempts: 4 }, 'retry'],
    ['fifth of five attempts', { attempts: 5 }, 'escalate', 'attempts'],
    ['next attempt 1 ms before the end of the retry time', { retryElapsedMs: 1_899 }, 'retry'],
    ['next attempt at the end of the retry time', { retryElapsedMs: 1_900 }, 'escalate', 'budget'],
    ['delay slightly shorter than the turn', { turnTimeLeftMs: 101 }, 'retry'],
    ['delay as long as the turn', { turnTimeLeftMs: 100 }, 'escalate', 'deadline'],
    ['one retry left in the budget', { retryBudgetLeft: 1 }, 'retry'],
    ['less than one retry left in the budget', { retryBudgetLeft: 0.9 }, 'escalate', 'budget'],
    ['one retry left in the turn', { turnRetriesLeft: 1 }, 'retry'],
    ['no retry left in the turn', { turnRetriesLeft: 0 }, 'escalate', 'budget'],
    ['optional', { classification: 'permanent', optional: true }, 'fail'],
    ['alternative available', { classification: 'permanent', alternatives: [backup] }, 'use_alternative'],
    ['alternative not available', { classification: 'permanent', alternatives: [{ ...backup, available: false }] }, 'escalate'],
    ['alternative after a cancel', { classification: 'neutral', alternatives: [backup] }, 'fail'],
    ['alternative after a refusal', { classification: 'neutral', failure: 'refused', alternatives: [backup] }, 'use_alternative'],
    ['alternative after an ambiguous failure', { effect: 'unsafe', ambiguous: true, alternatives: [backup] }, 'escalate', 'policy'],
    ['fallback', { classification: 'permanent', fallbackAvailable: true }, 'use_default'],
    ['fallback after a cancel', { classification: 'neutral', fallbackAvailable: true }, 'fail'],
    ['alternative before fallback', { classification: 'permanent', alternatives: [backup], fallbackAvailable: true }, 'use_alternative'],
    ['retry before alternative', { alternatives: [backup], fallbackAvailable: true }, 'retry'],
    ['partial output at a timeout', { failure: 'timeout', partialAvailable: true, acceptPartial: true }, 'accept_partial'],
    ['partial output, not accepted', { failure: 'timeout', partialAvailable: true }, 'retry'],
    ['partial output, but an error', { partialAvailable: true, acceptPartial: true }, 'retry'],
  ];

  it.each(table.map(([name, more, action, stoppedBy]) => ({ name, more, action, stoppedBy })))('$name', ({ more, action, stoppedBy }) => {
    const decision = decide(inputsWith(more));
    expect(decision.action).toBe(action);
    expect(decision.stoppedBy).toBe(stoppedBy);
  });

  it('gives the specified reasons', () => {
    expect(decide(inputsWith()).reason).toBe('Transient error + circuit closed + retries available');
    expect(decide(inputsWith({ classification: 'permanent' })).reason).toBe('Permanent error (no retry)');
    expect(decide(inputsWith({ attempts: 5 })).reason).toBe('Attempts exhausted (5 of 5)');
    expect(decide(inputsWith({ circuit: 'open', alternatives: [backup] })).reason).toBe('Circuit open; alternative backup available');
  });
});

describe('recovery rules', () => {
  it.each<readonly [string, readonly MatchedRule[], DecisionAction]>([
    ['deny retry', [says('deny', 'retry')], 'use_alternative'],
    ['deny retry and alternatives', [says('deny', 'retry'), says('deny', 'use_alternative')], 'use_default'],
    ['deny all', [says('deny', 'retry'), says('deny', 'use_alternative'), says('deny', 'use_default')], 'escalate'],
    ['allow before deny', [says('allow', 'retry'), says('deny', 'retry')], 'retry'],
    ['deny before allow', [says('deny', 'retry'), says('allow', 'retry')], 'use_alternative'],
    ['prefer an alternative', [says('prefer', 'use_alternative')], 'use_alternative'],
    ['prefer a denied strategy', [says('deny', 'use_alternative'), says('prefer', 'use_alternative')], 'retry'],
    ['prefer the fallback', [says('prefer', 'use_default')], 'use_default'],
  ])('%s', (_name, recoveryRules, action) => {
    expect(decide(inputsWith({ recoveryRules, alternatives: [backup], fallbackAvailable: true })).action).toBe(action);
  });

  it('match on every given field', () => {
    const rules = [
      {
        name: 'money',
        when: { tool: ['pay'], classification: ['transient'], effect: ['unsafe'] },
        deny: ['retry' as const],
        reason: 'never twice',
      },
    ];
    const facts = inputsWith({ toolName: 'pay', effect: 'unsafe' });
    expect(matchRules(rules, facts)).toEqual([{ rule: 'money', effect: 'deny', strategy: 'retry', reason: 'never twice' }]);
    expect(matchRules(rules, { ...facts, toolName: 'payment' })).toEqual([]);
    expect(matchRules(rules, inputsWith({ toolName: 'pay' }))).toEqual([]);
    expect(matchRules([{ name: 'always', prefer: 'use_default' }], facts)).toHaveLength(1);
  });
});

describe('evidence', () => {
  const retries = (succeeded: number, tried: number): DecisionInputs['evidence'][number] => ({ strategy: 'retry', tried, succeeded });
  const helped = (toolName: string, succeeded: number, tried: number): DecisionInputs['evidence'][number] => ({
    strategy: 'use_alternative',
    toolName,
    tried,
    succeeded,
  });

  const table: readonly (readonly [string, DecisionInputs['evidence'], DecisionAction, string?])[] = [
    ['nine failed retries prove nothing', [retries(0, 9)], 'retry'],
    ['ten failed retries are enough', [retries(0, 10)], 'use_alternative', 'backup'],
    ['5 % is enough', [retries(1, 20)], 'retry'],
    ['less than 5 % is not', [retries(1, 21)], 'use_alternative', 'backup'],
    ['a reliable alternative comes before poor retries', [retries(3, 20), helped('archive', 18, 20)], 'use_alternative', 'archive'],
    ['but not before good ones', [retries(15, 20), helped('archive', 20, 20)], 'retry'],
    ['nor if retries are not known', [helped('archive', 20, 20)], 'retry'],
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

describe('for any inputs', () => {
  it('keeps its second invariant, and returns the same again', { timeout: 30_000 }, () => {
    fc.assert(
      fc.property(anyInputs, (inputs) => {
        const decision = decide(inputs);
        expect(decide(inputs)).toEqual(decision);
        expect(decision.reason.length).toBeGreaterThan(0);
        const isUnsafe = inputs.ambiguous && inputs.effect === 'unsafe';
        when(decision.action === 'retry', () => {
          expect(inputs.classification).toBe('transient');
          expect(inputs.circuit).not.toBe('open');
          expect(inputs.probe || isUnsafe).toBe(false);
          expect(inputs.attempts).toBeLessThan(inputs.maxAttempts);
          expect(inputs.retryElapsedMs + inputs.nextDelayMs).toBeLessThan(inputs.maxTotalTimeMs);
          expect(inputs.nextDelayMs).toBeLessThan(inputs.turnTimeLeftMs ?? Number.POSITIVE_INFINITY);
          expect(Math.min(inputs.retryBudgetLeft ?? 1, inputs.turnRetriesLeft ?? 1)).toBeGreaterThanOrEqual(1);
          expect(decision.delayMs).toBe(inputs.nextDelayMs);
        });
        when(decision.action === 'use_alternative', () => {
          expect(isUnsafe).toBe(false);
          expect(inputs.alternatives.some(({ toolName, available }) => available && toolName === decision.alternative)).toBe(true);
        });
        when(decision.action === 'use_default', () => expect(inputs.fallbackAvailable).toBe(true));
        when(decision.action === 'accept_partial', () =>
          expect(inputs.partialAvailable && inputs.acceptPartial && inputs.failure === 'timeout').toBe(true),
        );
        when(decision.action !== 'escalate' && decision.action !== 'fail', () =>
          expect(ruleFor(inputs.recoveryRules, decision.action as Strategy)?.effect).not.toBe('deny'),
        );
        when(decision.action === 'escalate', () => expect(inputs.optional).toBe(false));
      }),
      { numRuns: 3_000 },
    );
  });

  it('evidence never allows a retry that was not allowed without it', () => {
    fc.assert(
      fc.property(anyInputs, (inputs) => {
        if (decide(inputs).action !== 'retry') return;
        const onlyRetry = { evidence: [], alternatives: [], fallbackAvailable: false, acceptPartial: false };
        expect(decide({ ...inputs, ...onlyRetry }).action).toBe('retry');
      }),
      { numRuns: 1_000 },
    );
  });

  it('an advisor may always choose the built-in decision', () => {
    fc.assert(
      fc.property(anyInputs, (inputs) => mayTake(decide(inputs), inputs)),
      { numRuns: 2_000 },
    );
  });
});
