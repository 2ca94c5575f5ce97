import fc from 'fast-check';
import type { AlternativeOption, DecisionInputs, MatchedRule, StrategyEvidence } from '../../src/engine/recover/decision.ts';

/** An alternative that would be let through. */
export const backup: AlternativeOption = { tool_id: 'backup', circuit_breaker_state: 'closed', available: true };

/** A first failure that is worth a retry. */
export function inputsWith(more: Partial<DecisionInputs> = {}): DecisionInputs {
  return {
    turn_id: 'turn',
    tool_id: 'search',
    classification: 'transient',
    category: 'unavailable',
    rule: 'status:503',
    failure: 'error',
    ambiguous: false,
    circuit_breaker_state: 'closed',
    probe: false,
    attempts: 1,
    max_attempts: 5,
    retry_count: 0,
    next_delay_ms: 100,
    retry_elapsed_ms: 0,
    max_total_time_ms: 2_000,
    alternatives: [],
    partial_available: false,
    accept_partial: false,
    fallback_available: false,
    optional: false,
    policies: [],
    evidence: [],
    ...more,
  };
}

const strategy = fc.constantFrom('retry' as const, 'use_alternative' as const, 'use_default' as const, 'accept_partial' as const);
const rule: fc.Arbitrary<MatchedRule> = fc.record({
  rule: fc.constantFrom('one', 'two'),
  effect: fc.constantFrom('allow' as const, 'deny' as const, 'prefer' as const),
  strategy,
});
const counts = fc.tuple(fc.nat(30), fc.nat(30)).map(([a, b]) => ({ tried: Math.max(a, b), succeeded: Math.min(a, b) }));
const tool = fc.constantFrom('backup', 'archive');
const evidence: fc.Arbitrary<StrategyEvidence> = fc.oneof(
  counts.map((both) => ({ strategy: 'retry' as const, ...both })),
  fc.tuple(counts, tool).map(([both, tool_id]) => ({ strategy: 'use_alternative' as const, tool_id, ...both })),
);
const circuit = fc.constantFrom('closed' as const, 'open' as const, 'half_open' as const);
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });

/** Whatever a decision may be made from. */
export const anyInputs: fc.Arbitrary<DecisionInputs> = fc
  .record({
    classification: fc.constantFrom('transient' as const, 'transient' as const, 'permanent' as const, 'neutral' as const),
    failure: fc.constantFrom('error' as const, 'timeout' as const, 'refused' as const),
    ambiguous: fc.boolean(),
    effect: maybe(fc.constantFrom('read' as const, 'idempotent' as const, 'unsafe' as const)),
    circuit_breaker_state: circuit,
    probe: fc.boolean(),
    attempts: fc.nat(7),
    max_attempts: fc.integer({ min: 1, max: 6 }),
    next_delay_ms: fc.nat(3_000),
    retry_elapsed_ms: fc.nat(3_000),
    max_total_time_ms: fc.nat(3_000),
    turn_time_left_ms: maybe(fc.nat(3_000)),
    retry_budget_left: maybe(fc.nat(3)),
    turn_retries_left: maybe(fc.nat(3)),
    alternatives: fc.uniqueArray(fc.record({ tool_id: tool, circuit_breaker_state: circuit, available: fc.boolean() }), {
      selector: ({ tool_id }) => tool_id,
    }),
    partial_available: fc.boolean(),
    accept_partial: fc.boolean(),
    fallback_available: fc.boolean(),
    optional: fc.boolean(),
    policies: fc.array(rule, { maxLength: 4 }),
    evidence: fc.array(evidence, { maxLength: 3 }),
  })
  .map(({ effect, turn_time_left_ms, retry_budget_left, turn_retries_left, ...rest }) =>
    inputsWith({
      ...rest,
      ...(effect === undefined ? {} : { effect }),
      ...(turn_time_left_ms === undefined ? {} : { turn_time_left_ms }),
      ...(retry_budget_left === undefined ? {} : { retry_budget_left }),
      ...(turn_retries_left === undefined ? {} : { turn_retries_left }),
    }),
  );
