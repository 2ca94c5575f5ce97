import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/engine/recover/decide.ts';
import type { DecisionInputs, Guard, StoppedBy, StrategyEvidence } from '../../../src/engine/recover/decision.ts';
import { matchRules } from '../../../src/engine/recover/recovery-rules.ts';
import { backup, inputsWith } from '../../support/decision-inputs.ts';

const archive = { toolName: 'archive', circuit: 'open', available: false } as const;

/** `+ attempts_left 1 of 5` for a check that passed, `-` for one that did not. */
const say = ({ guard, passed, value, limit }: Guard): string =>
  `${passed ? '+' : '-'} ${guard} ${String(value)}${limit === undefined ? '' : ` of ${String(limit)}`}`;

const checks = (more: Partial<DecisionInputs>): readonly string[] => decide(inputsWith(more)).guards.map(say);

describe('the trace shows every check with its inputs', () => {
  it('of a retry with all its limits', () => {
    const limits = {
      turnTimeLeftMs: 5_000.4,
      retryBudgetLeft: 2,
      turnRetriesLeft: 3,
      nextDelayMs: 100.4,
      effect: 'read',
    } as const;
    expect(checks(limits)).toEqual([
      '- timed_out error',
      '- partial_accepted false',
      '+ transient transient',
      '+ circuit_closed closed',
      '+ safe_to_repeat read',
      '+ attempts_left 1 of 5',
      '+ retry_time_left 100 of 2000',
      '+ turn_time_left 100 of 5000',
      '+ retry_budget_left 2 of 1',
      '+ turn_retries_left 3 of 1',
    ]);
  });

  it('of a failed probe of an unsafe tool', () => {
    expect(checks({ probe: true, circuit: 'half_open', ambiguous: true, effect: 'unsafe', alternatives: [backup] })).toEqual([
      '- timed_out error',
      '- partial_accepted false',
      '+ transient transient',
      '- circuit_closed half_open probe',
      '- safe_to_repeat unsafe',
      '+ attempts_left 1 of 5',
      '+ retry_time_left 100 of 2000',
      '+ not_cancelled transient',
      '- safe_to_replace unsafe',
      '+ alternative_available:backup closed',
      '- fallback_declared false',
      '+ not_cancelled transient',
    ]);
  });

  it('of a failure without any evidence', () => {
    expect(checks({ classification: 'neutral', alternatives: [archive] })).toEqual([
      '- timed_out error',
      '- partial_accepted false',
      '- transient neutral',
      '+ circuit_closed closed',
      '+ safe_to_repeat undeclared',
      '+ attempts_left 1 of 5',
      '+ retry_time_left 100 of 2000',
      '- not_cancelled neutral',
      '+ safe_to_replace undeclared',
      '- alternative_available:archive open',
      '- fallback_declared false',
      '- not_cancelled neutral',
    ]);
  });

  it('of a rule, and of the evidence about retries', () => {
    const recoveryRules = [{ rule: 'house rule', effect: 'deny', strategy: 'retry' }] as const;
    const evidence = [{ strategy: 'retry', tried: 20, succeeded: 0 }] as const;
    expect(checks({ recoveryRules, evidence })).toContain('- rule_allows_retry house rule');
    expect(checks({ recoveryRules, evidence })).toContain('- worth_retrying 0 of 20 earlier retries helped');
  });
});

describe('the reason', () => {
  const fallback = { fallbackAvailable: true } as const;
  const rule = { rule: 'house rule', effect: 'deny', strategy: 'retry' } as const;
  const poor: StrategyEvidence = { strategy: 'retry', tried: 20, succeeded: 3 };
  const helped: StrategyEvidence = { strategy: 'use_alternative', toolName: 'backup', tried: 20, succeeded: 18 };

  const table: readonly (readonly [Partial<DecisionInputs>, string, StoppedBy?])[] = [
    [{ classification: 'permanent', ...fallback }, 'Permanent error (no retry); fallback value used'],
    [{ classification: 'permanent', alternatives: [archive, backup] }, 'Permanent error (no retry); alternative backup available'],
    [{ classification: 'neutral' }, 'Cancelled'],
    [{ classification: 'neutral', failure: 'refused' }, 'Refused before it ran'],
    [{ probe: true }, 'Probe failed', 'circuit'],
    [{ circuit: 'open', ...fallback }, 'Circuit open; fallback value used', 'circuit'],
    [{ effect: 'unsafe', ambiguous: true }, 'The unsafe action may have happened', 'policy'],
    [{ assumedEffect: 'unsafe', ambiguous: true }, 'The action may have happened, and no effect is declared', 'policy'],
    [{ classification: 'permanent', unknownFailures: 1, effect: 'read' }, 'Unknown failure, retried at most once'],
    [{ classification: 'permanent', unknownFailures: 2, effect: 'idempotent' }, 'Unknown failure, retried at most once', 'policy'],
    [
      { classification: 'permanent', unknownFailures: 1, ...fallback },
      'Unknown failure, retried only if read or idempotent is declared; fallback value used',
      'policy',
    ],
    [{ retryElapsedMs: 1_950 }, 'Retry time exhausted (next attempt at 2050 of 2000 ms)', 'budget'],
    [{ turnTimeLeftMs: 50 }, 'No time left in the turn', 'deadline'],
    [{ retryBudgetLeft: 0.5, turnRetriesLeft: 0 }, 'Retry budget exhausted', 'budget'],
    [{ turnRetriesLeft: 0 }, "The turn's retries are used up", 'budget'],
    [{ recoveryRules: [rule] }, "Rule 'house rule' denies retry", 'policy'],
    [{ recoveryRules: [{ ...rule, reason: 'never twice' }] }, "Rule 'house rule': never twice", 'policy'],
    [
      { recoveryRules: [{ rule: 'be quick', effect: 'prefer', strategy: 'use_default' }], ...fallback },
      "Rule 'be quick' prefers use_default; fallback value used",
    ],
    // The preferred strategy is not available, so another one is chosen, for its own reason.
    [
      { recoveryRules: [{ rule: 'be quick', effect: 'prefer', strategy: 'use_alternative' }], attempts: 5, ...fallback },
      'Attempts exhausted (5 of 5); fallback value used',
      'attempts',
    ],
    [{ failure: 'timeout', partialAvailable: true, acceptPartial: true }, 'Partial output accepted'],
    [{ evidence: [{ ...poor, succeeded: 0 }] }, 'Retries skipped: 0 of 20 earlier retries helped', 'policy'],
    [
      { evidence: [poor, helped], alternatives: [archive, backup] },
      'backup helped in 18 of 20 earlier failures; alternative backup available',
    ],
    [
      { evidence: [poor, helped], alternatives: [{ ...archive, available: true }], attempts: 5 },
      'Attempts exhausted (5 of 5); alternative archive available',
      'attempts',
    ],
  ];

  it.each(table.map(([more, reason, stoppedBy]) => ({ more, reason, stoppedBy })))('$reason', ({ more, reason, stoppedBy }) => {
    const decision = decide(inputsWith(more));
    expect(decision.reason).toBe(reason);
    expect(decision.stoppedBy).toBe(stoppedBy);
    expect('stoppedBy' in decision).toBe(stoppedBy !== undefined);
    expect('alternative' in decision).toBe(decision.action === 'use_alternative');
  });
});

describe('evidence of earlier failures', () => {
  const all = [{ ...archive, available: true }, backup];
  const retries = (succeeded: number, tried: number, withheld?: number): StrategyEvidence => ({
    strategy: 'retry',
    tried,
    succeeded,
    ...(withheld === undefined ? {} : { withheld }),
  });
  const helped = (toolName: string, succeeded: number, tried: number): StrategyEvidence => ({
    strategy: 'use_alternative',
    toolName,
    tried,
    succeeded,
  });
  const poor = retries(3, 20);

  it.each<readonly [string, readonly StrategyEvidence[], string]>([
    ['an alternative with little evidence', [poor, helped('backup', 9, 9)], 'retry'],
    ['an alternative that helped in less than 80 %', [poor, helped('backup', 15, 20)], 'retry'],
    ['an alternative that helped in 80 %', [poor, helped('backup', 16, 20)], 'backup'],
    ['an alternative that is at most 30 % better', [retries(10, 20), helped('backup', 16, 20)], 'retry'],
    ['retries with little evidence', [retries(0, 9), helped('backup', 20, 20)], 'retry'],
    ['the better of two', [poor, helped('archive', 16, 20), helped('backup', 18, 20)], 'backup'],
    ['the better of two, listed first', [poor, helped('backup', 18, 20), helped('archive', 16, 20)], 'backup'],
    ['retries that never helped, listed last', [helped('backup', 9, 20), retries(0, 20)], 'archive'],
    ['retries that helped, listed last', [helped('backup', 0, 20), retries(20, 20)], 'retry'],
    ['retries that never helped, skipped eight times', [retries(0, 20, 8)], 'archive'],
    ['retries that never helped, skipped nine times: one exploration', [retries(0, 20, 9)], 'retry'],
    ['retries that never helped, skipped ten times', [retries(0, 20, 10)], 'archive'],
  ])('%s', (_name, evidence, expected) => {
    const decision = decide(inputsWith({ evidence, alternatives: all }));
    expect(decision.alternative ?? decision.action).toBe(expected);
  });
});

describe('rules', () => {
  const facts = inputsWith({ turnId: 'turn-1', toolName: 'pay', category: 'unavailable', effect: 'unsafe' });

  it.each([
    [{ turn: ['turn-1'] }, true],
    [{ turn: ['turn-2'] }, false],
    [{ category: ['unavailable', 'timeout'] }, true],
    [{ category: ['timeout'] }, false],
    [{ classification: ['permanent'] }, false],
    [{ effect: ['read', 'unsafe'] }, true],
    [{ effect: ['read'] }, false],
    [{}, true],
  ])('under %j: applies to a failure is %j', (when, speaks) => {
    expect(matchRules([{ name: 'rule', when, deny: ['retry'] }], facts).length > 0).toBe(speaks);
  });

  it('give all their reasons, allowed strategies first', () => {
    expect(matchRules([{ name: 'rule', prefer: 'use_default', deny: ['retry'], allow: ['use_alternative'] }], facts)).toEqual([
      { rule: 'rule', effect: 'allow', strategy: 'use_alternative' },
      { rule: 'rule', effect: 'deny', strategy: 'retry' },
      { rule: 'rule', effect: 'prefer', strategy: 'use_default' },
    ]);
    expect(matchRules([{ name: 'rule' }], facts)).toEqual([]);
    expect(matchRules([], facts)).toEqual([]);
  });

  it('that allow a strategy do not prefer it', () => {
    const recoveryRules = [
      { rule: 'one', effect: 'allow', strategy: 'use_default' },
      { rule: 'two', effect: 'prefer', strategy: 'use_alternative' },
    ] as const;
    expect(decide(inputsWith({ recoveryRules, alternatives: [backup], fallbackAvailable: true })).action).toBe('use_alternative');
  });
});
