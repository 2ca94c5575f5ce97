import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/engine/recover/decide.ts';
import type { AlternativeOption, DecisionAction, DecisionInputs } from '../../../src/engine/recover/decision.ts';
import { anyInputs, backup, inputsWith } from '../../support/decision-inputs.ts';
import { when } from '../../support/when.ts';

/** Failed against a circuit that opens again in 5 s, with 43 s to wait. */
const open: Partial<DecisionInputs> = { circuit_breaker_state: 'open', held_ms: 5_000, may_wait_ms: 43_000, probes: 0 };

describe('a call that may wait for its tool to recover', () => {
  const table: readonly (readonly [string, Partial<DecisionInputs>, DecisionAction, string?])[] = [
    ['open circuit', open, 'retry'],
    ['failed probe', { ...open, probe: true }, 'retry'],
    ['open for as long as it may wait', { ...open, held_ms: 43_000 }, 'escalate', 'circuit'],
    ['open, and nobody knows for how long', { circuit_breaker_state: 'open', may_wait_ms: 43_000 }, 'escalate', 'circuit'],
    ['nothing left to wait', { ...open, may_wait_ms: 0 }, 'escalate', 'circuit'],
    ['less left than the delay before the next attempt', { ...open, held_ms: 10, may_wait_ms: 90 }, 'escalate', 'circuit'],
    ['another tool serves at once', { ...open, alternatives: [backup] }, 'use_alternative', 'circuit'],
    ['the other tool is down as well', { ...open, alternatives: [{ ...backup, available: false }] }, 'retry'],
    ['permanent', { ...open, classification: 'permanent' }, 'escalate'],
    ['unsafe, and perhaps done', { ...open, effect: 'unsafe', ambiguous: true }, 'escalate', 'policy'],
    ['denied by a rule', { ...open, policies: [{ rule: 'once', effect: 'deny', strategy: 'retry' }] }, 'escalate', 'policy'],
    ['no retry left in the turn, in the budget', { ...open, turn_retries_left: 0, retry_budget_left: 0 }, 'retry'],
    ['the same with a closed circuit', { may_wait_ms: 43_000, turn_retries_left: 0 }, 'escalate', 'budget'],
    ['all attempts made, all of them probes', { ...open, probe: true, attempts: 9, probes: 9 }, 'retry'],
    ['all attempts made', { ...open, attempts: 9, probes: 4 }, 'escalate', 'attempts'],
    ['the retry time is over, the wait is not', { may_wait_ms: 43_000, retry_elapsed_ms: 30_000 }, 'retry'],
    ['a Retry-After that is longer than the retry time', { held_ms: 30_000, may_wait_ms: 43_000 }, 'retry'],
    ['a Retry-After that is longer than the wait', { held_ms: 44_000, may_wait_ms: 43_000 }, 'escalate', 'budget'],
    ['a Retry-After, and another tool', { held_ms: 30_000, may_wait_ms: 43_000, alternatives: [backup] }, 'use_alternative', 'budget'],
    ['memory says that retries are hopeless', { ...open, evidence: [{ strategy: 'retry', tried: 40, succeeded: 0 }] }, 'retry'],
  ];

  it.each(table.map(([name, more, action, stoppedBy]) => ({ name, more, action, stoppedBy })))('$name', ({ more, action, stoppedBy }) => {
    const decision = decide(inputsWith(more));
    expect(decision.action).toBe(action);
    expect(decision.stopped_by).toBe(stoppedBy);
  });

  it('says in the guards that it waits, and how long it may', () => {
    expect(decide(inputsWith(open)).guards).toContainEqual({ guard: 'circuit_closed', passed: true, value: 'may_wait', limit: 43_000 });
    const asked = decide(inputsWith({ held_ms: 30_000, may_wait_ms: 43_000 })).guards;
    expect(asked).toContainEqual({ guard: 'may_wait', passed: true, value: 30_000, limit: 43_000 });
  });

  it('says in one sentence why it waits, or why not', () => {
    const reason = (more: Partial<DecisionInputs>): string => decide(inputsWith(more)).reason;
    expect(reason(open)).toBe('Transient error + circuit open for 5s, may wait 43s + retries available');
    expect(reason({ ...open, probe: true })).toBe('Transient error + probe failed, circuit open for 5s, may wait 43s + retries available');
    expect(reason({ ...open, held_ms: 50_000 })).toBe('Circuit open: 50s to go, and the call may wait 43s');
    expect(reason({ ...open, alternatives: [backup] })).toBe('Circuit open; alternative backup available');
    expect(reason({ held_ms: 50_000, may_wait_ms: 43_000 })).toBe('Held by the gate: 50s to go, and the call may wait 43s');
  });
});

describe('for whatever inputs', () => {
  const waiting = fc.record({
    may_wait_ms: fc.constantFrom(0, 50, 10_000),
    held_ms: fc.option(fc.constantFrom(1, 400, 20_000), { nil: undefined }),
    probes: fc.nat(3),
  });

  it('a wait never brings about what is never allowed', () => {
    fc.assert(
      fc.property(anyInputs, waiting, (inputs, { held_ms, ...more }) => {
        const whole: DecisionInputs = { ...inputs, ...more, ...(held_ms !== undefined && { held_ms }) };
        const { action } = decide(whole);
        if (action !== 'retry') return;
        expect(whole.classification).toBe('transient');
        expect(whole.ambiguous && whole.effect === 'unsafe').toBe(false);
        expect(whole.attempts - (whole.probes ?? 0)).toBeLessThan(whole.max_attempts);
        when(whole.probe || whole.circuit_breaker_state === 'open', () => {
          expect(whole.next_delay_ms).toBeLessThan(whole.may_wait_ms ?? 0);
          expect(whole.alternatives.some(({ available }) => available)).toBe(false);
        });
      }),
    );
  });
});

describe('alternatives', () => {
  const sick: AlternativeOption = {
    tool_id: 'sick',
    circuit_breaker_state: 'closed',
    available: true,
    failure_share: 0.4,
    latency_ms: 100,
  };
  const slow: AlternativeOption = {
    tool_id: 'slow',
    circuit_breaker_state: 'closed',
    available: true,
    failure_share: 0.01,
    latency_ms: 900,
  };
  const well: AlternativeOption = {
    tool_id: 'well',
    circuit_breaker_state: 'closed',
    available: true,
    failure_share: 0.02,
    latency_ms: 120,
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
    expect(chosen([{ ...well, circuit_breaker_state: 'half_open' }, slow])).toEqual([
      'slow',
      'Permanent error (no retry); alternative slow available and healthier than well (1 % failed, 900ms against circuit half open, 2 % failed, 120ms)',
    ]);
  });

  it('are tried as declared where they are alike, or nothing is learned of them', () => {
    expect(chosen([well, { ...well, tool_id: 'other', latency_ms: 115 }])[0]).toBe('well');
    const plain = (tool_id: string, state: 'closed' | 'half_open'): AlternativeOption => ({
      tool_id,
      circuit_breaker_state: state,
      available: true,
    });
    expect(chosen([plain('first', 'half_open'), plain('second', 'closed')])).toEqual([
      'first',
      'Permanent error (no retry); alternative first available',
    ]);
  });

  it('that are not available are no comparison', () => {
    expect(chosen([{ ...sick, available: false, circuit_breaker_state: 'open' }, well])).toEqual([
      'well',
      'Permanent error (no retry); alternative well available',
    ]);
  });
});
