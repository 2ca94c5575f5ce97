import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/engine/recover/decide.ts';
import type { AlternativeOption, DecisionAction, DecisionInputs } from '../../../src/engine/recover/decision.ts';
import { anyInputs, backup, inputsWith } from '../../support/decision-inputs.ts';
import { when } from '../../support/when.ts';

/** Failed against a circuit that opens again in 5 s, with 43 s to wait. */
const open: Partial<DecisionInputs> = { circuit: 'open', heldMs: 5_000, mayWaitMs: 43_000, probes: 0 };

describe('a call with waitForRecovery', () => {
  const table: readonly (readonly [string, Partial<DecisionInputs>, DecisionAction, string?])[] = [
    ['open circuit', open, 'retry'],
    ['failed probe', { ...open, probe: true }, 'retry'],
    ['open for exactly the maximum wait', { ...open, heldMs: 43_000 }, 'escalate', 'circuit'],
    ['open for an unknown time', { circuit: 'open', mayWaitMs: 43_000 }, 'escalate', 'circuit'],
    ['no time left to wait', { ...open, mayWaitMs: 0 }, 'escalate', 'circuit'],
    ['less time left than the delay before the next attempt', { ...open, heldMs: 10, mayWaitMs: 90 }, 'escalate', 'circuit'],
    ['another tool is available', { ...open, alternatives: [backup] }, 'use_alternative', 'circuit'],
    ['the other tool is down, too', { ...open, alternatives: [{ ...backup, available: false }] }, 'retry'],
    ['permanent', { ...open, classification: 'permanent' }, 'escalate'],
    ['unsafe and ambiguous', { ...open, effect: 'unsafe', ambiguous: true }, 'escalate', 'policy'],
    ['denied by a rule', { ...open, recoveryRules: [{ rule: 'once', effect: 'deny', strategy: 'retry' }] }, 'escalate', 'policy'],
    ['no retry left in the turn, in the budget', { ...open, turnRetriesLeft: 0, retryBudgetLeft: 0 }, 'retry'],
    ['the same with a closed circuit', { mayWaitMs: 43_000, turnRetriesLeft: 0 }, 'escalate', 'budget'],
    ['all attempts used, all of them probes', { ...open, probe: true, attempts: 9, probes: 9 }, 'retry'],
    ['all attempts used', { ...open, attempts: 9, probes: 4 }, 'escalate', 'attempts'],
    ['the retry time is over, the maximum wait is not', { mayWaitMs: 43_000, retryElapsedMs: 30_000 }, 'retry'],
    ['a Retry-After longer than the retry time', { heldMs: 30_000, mayWaitMs: 43_000 }, 'retry'],
    ['a Retry-After longer than the maximum wait', { heldMs: 44_000, mayWaitMs: 43_000 }, 'escalate', 'budget'],
    ['a Retry-After, and another tool', { heldMs: 30_000, mayWaitMs: 43_000, alternatives: [backup] }, 'use_alternative', 'budget'],
    ['memory rates retries as hopeless', { ...open, evidence: [{ strategy: 'retry', tried: 40, succeeded: 0 }] }, 'retry'],
  ];

  it.each(table.map(([name, more, action, stoppedBy]) => ({ name, more, action, stoppedBy })))('$name', ({ more, action, stoppedBy }) => {
    const decision = decide(inputsWith(more));
    expect(decision.action).toBe(action);
    expect(decision.stoppedBy).toBe(stoppedBy);
  });

  it('lists the wait and its maximum in the guards', () => {
    expect(decide(inputsWith(open)).guards).toContainEqual({ guard: 'circuit_closed', passed: true, value: 'may_wait', limit: 43_000 });
    const asked = decide(inputsWith({ heldMs: 30_000, mayWaitMs: 43_000 })).guards;
    expect(asked).toContainEqual({ guard: 'may_wait', passed: true, value: 30_000, limit: 43_000 });
  });

  it('gives a sentence as the reason why it waits, or why not', () => {
    const reason = (more: Partial<DecisionInputs>): string => decide(inputsWith(more)).reason;
    expect(reason(open)).toBe('Transient error + circuit open for 5s, may wait 43s + retries available');
    expect(reason({ ...open, probe: true })).toBe('Transient error + probe failed, circuit open for 5s, may wait 43s + retries available');
    expect(reason({ ...open, heldMs: 50_000 })).toBe('Circuit open: 50s left, and the call may wait 43s');
    expect(reason({ ...open, alternatives: [backup] })).toBe('Circuit open; alternative backup available');
    expect(reason({ heldMs: 50_000, mayWaitMs: 43_000 })).toBe('Held by the gate: 50s left, and the call may wait 43s');
  });
});

describe('for any inputs', () => {
  const waiting = fc.record({
    mayWaitMs: fc.constantFrom(0, 50, 10_000),
    heldMs: fc.option(fc.constantFrom(1, 400, 20_000), { nil: undefined }),
    probes: fc.nat(3),
  });

  it('a wait never allows a denied strategy', () => {
    fc.assert(
      fc.property(anyInputs, waiting, (inputs, { heldMs, ...more }) => {
        const whole: DecisionInputs = { ...inputs, ...more, ...(heldMs !== undefined && { heldMs }) };
        const { action } = decide(whole);
        if (action !== 'retry') return;
        expect(whole.classification).toBe('transient');
        expect(whole.ambiguous && whole.effect === 'unsafe').toBe(false);
        expect(whole.attempts - (whole.probes ?? 0)).toBeLessThan(whole.maxAttempts);
        when(whole.probe || whole.circuit === 'open', () => {
          expect(whole.nextDelayMs).toBeLessThan(whole.mayWaitMs ?? 0);
          expect(whole.alternatives.some(({ available }) => available)).toBe(false);
        });
      }),
    );
  });
});

describe('alternatives', () => {
  const sick: AlternativeOption = {
    toolName: 'sick',
    circuit: 'closed',
    available: true,
    failureShare: 0.4,
    latencyMs: 100,
  };
  const slow: AlternativeOption = {
    toolName: 'slow',
    circuit: 'closed',
    available: true,
    failureShare: 0.01,
    latencyMs: 900,
  };
  const well: AlternativeOption = {
    toolName: 'well',
    circuit: 'closed',
    available: true,
    failureShare: 0.02,
    latencyMs: 120,
  };
  const chosen = (alternatives: readonly AlternativeOption[]): readonly [string | undefined, string] => {
    const { alternative, reason } = decide(inputsWith({ classification: 'permanent', alternatives }));
    return [alternative, reason];
  };

  it('are tried by health: circuit, then failures, then latency', () => {
    expect(chosen([sick, slow, well])).toEqual([
      'well',
      'Permanent error (no retry); alternative well available and healthier than sick (2 % failed, 120ms against 40 % failed, 100ms)',
    ]);
    expect(chosen([{ ...well, circuit: 'half_open' }, slow])).toEqual([
      'slow',
      'Permanent error (no retry); alternative slow available and healthier than well (1 % failed, 900ms against circuit half open, 2 % failed, 120ms)',
    ]);
  });

  it('are tried in declared order if they are equal, or nothing is known about them', () => {
    expect(chosen([well, { ...well, toolName: 'other', latencyMs: 115 }])[0]).toBe('well');
    const plain = (toolName: string, state: 'closed' | 'half_open'): AlternativeOption => ({
      toolName,
      circuit: state,
      available: true,
    });
    expect(chosen([plain('first', 'half_open'), plain('second', 'closed')])).toEqual([
      'first',
      'Permanent error (no retry); alternative first available',
    ]);
  });

  it('that are not available are not compared', () => {
    expect(chosen([{ ...sick, available: false, circuit: 'open' }, well])).toEqual([
      'well',
      'Permanent error (no retry); alternative well available',
    ]);
  });
});
