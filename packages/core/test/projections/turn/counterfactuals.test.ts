import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/engine/recover/decide.ts';
import type { DecisionInputs, Guard } from '../../../src/engine/recover/decision.ts';
import { type Counterfactual, counterfactuals, type FailedCheck } from '../../../src/projections/turn/counterfactuals.ts';
import { anyInputs, backup, inputsWith } from '../../support/decision-inputs.ts';

const listed = (inputs: DecisionInputs): readonly Counterfactual[] =>
  counterfactuals({ seq: 9, atMs: 0, toolName: 'a', attempt: 1, inputs, decision: decide(inputs), decidedBy: 'built_in' });

/** The conditions of a retry: `name > threshold`, dependent ones in brackets. */
const retryConditions = (more: Partial<DecisionInputs>): readonly string[] => {
  const shown = ({ condition, threshold }: FailedCheck): string => (threshold === undefined ? condition : `${condition} > ${threshold}`);
  const found = listed(inputsWith(more)).find(({ strategy }) => strategy === 'retry');
  return [...(found?.failed.map(shown) ?? []), ...(found?.dependent.map((check) => `(${shown(check)})`) ?? [])];
};

describe('what would have allowed a retry', () => {
  const table: readonly (readonly [string, Partial<DecisionInputs>, readonly string[]])[] = [
    ['nothing: it was retried', {}, []],
    ['attempts', { attempts: 5, maxAttempts: 5 }, ['attempts_left > 5']],
    ['attempts that were no probes', { attempts: 9, probes: 4, maxAttempts: 5 }, ['attempts_left > 5']],
    ['retry time', { retryElapsedMs: 1900.6, nextDelayMs: 800, maxTotalTimeMs: 2000 }, ['retry_time_left > 2701']],
    ['time in the turn', { nextDelayMs: 400, turnTimeLeftMs: 300 }, ['turn_time_left > 400']],
    ['another failure', { classification: 'permanent', nextDelayMs: 0 }, ['transient']],
    ['admission', { classification: 'neutral', failure: 'refused', nextDelayMs: 0 }, ['admitted']],
    ['a rule less', { recoveryRules: [{ rule: 'once', effect: 'deny', strategy: 'retry' }] }, ['rule_allows']],
    ['more time to wait for recovery', { heldMs: 50_000, mayWaitMs: 43_000 }, ['may_wait > 50000']],
    ['the lack of an alternative', { heldMs: 30_000, mayWaitMs: 43_000, alternatives: [backup] }, ['no_alternative']],
    [
      'a closed circuit, whose delay is not that of the open one',
      { circuit: 'open', nextDelayMs: 30_000, turnTimeLeftMs: 20_000 },
      ['circuit_closed', '(retry_time_left > 30000)', '(turn_time_left > 30000)'],
    ],
    ['an attempt that is not a probe', { circuit: 'open', probe: true, nextDelayMs: 30_000 }, ['not_a_probe', '(retry_time_left > 30000)']],
  ];

  it.each(table.map(([name, more, expected]) => ({ name, more, expected })))('$name', ({ more, expected }) => {
    expect(retryConditions(more)).toEqual(expected);
  });

  it('is true: with these limits the same failure is retried', () => {
    const limits: Readonly<Record<string, (threshold: number) => Partial<DecisionInputs>>> = {
      attempts_left: (threshold) => ({ maxAttempts: threshold + 1 }),
      retry_time_left: (threshold) => ({ maxTotalTimeMs: threshold + 1 }),
      turn_time_left: (threshold) => ({ turnTimeLeftMs: threshold + 1 }),
    };
    let judged = 0;
    fc.assert(
      fc.property(anyInputs, (drawn) => {
        // Memory and preferring rules change the order of the strategies; that is not the question here.
        const inputs = { ...drawn, evidence: [], recoveryRules: [], partialAvailable: false };
        const retry = listed(inputs).find(({ strategy }) => strategy === 'retry');
        if (retry === undefined || retry.dependent.length > 0 || retry.failed.some(({ condition }) => limits[condition] === undefined))
          return;
        judged += 1;
        const changes = retry.failed.map(({ condition, threshold }) => limits[condition]?.(threshold ?? 0) ?? {});
        expect(decide(Object.assign({}, inputs, ...changes) as DecisionInputs).action).toBe('retry');
      }),
      { numRuns: 2_000, seed: 1 },
    );
    expect(judged).toBeGreaterThan(20);
  });
});

describe('the other strategies', () => {
  it('have one counterfactual each, with the alternative that was checked', () => {
    const inputs = inputsWith({ attempts: 5, maxAttempts: 5, alternatives: [{ ...backup, available: false }] });
    expect(listed(inputs).map(({ strategy, subject, failed }) => [strategy, subject, failed.map(({ condition }) => condition)])).toEqual([
      ['retry', '', ['attempts_left']],
      ['alternative', 'backup', ['alternative_available']],
      ['fallback', '', ['fallback_declared']],
    ]);
  });

  it('has partial output only where there was some', () => {
    const strategies = (more: Partial<DecisionInputs>): readonly string[] =>
      listed(inputsWith({ classification: 'permanent', failure: 'timeout', ...more })).map(({ strategy }) => strategy);
    expect(strategies({ partialAvailable: true })).toContain('partial');
    expect(strategies({ partialAvailable: false })).not.toContain('partial');
  });

  it('are none for the decision of an advisor: the checks are not its reasons', () => {
    const inputs = inputsWith({ classification: 'permanent' });
    const view = { seq: 9, atMs: 0, toolName: 'a', attempt: 1, inputs, decision: decide(inputs) };
    expect(counterfactuals({ ...view, decidedBy: 'built_in' })).not.toEqual([]);
    expect(counterfactuals({ ...view, decidedBy: 'handler' })).toEqual([]);
  });

  it('keep a check of a later version, and one that is damaged', () => {
    const guards = [
      { guard: 'moon_phase', passed: false, value: 'full', limit: 'new' },
      { guard: 7 },
    ] as readonly unknown[] as readonly Guard[];
    const decision = { action: 'fail', reason: '', guards } as const;
    const found = counterfactuals({ seq: 1, atMs: 0, toolName: 'a', attempt: 1, inputs: {} as DecisionInputs, decision, decidedBy: '' });
    expect(found.map(({ strategy, failed }) => [strategy, failed.map(({ condition }) => condition)])).toEqual([
      ['other', ['moon_phase', '']],
    ]);
  });
});
