import fc from 'fast-check';
import type { AlternativeOption, DecisionInputs, MatchedRule, StrategyEvidence } from '../../src/engine/recover/decision.ts';

/** An available alternative. */
export const backup: AlternativeOption = { toolName: 'backup', circuit: 'closed', available: true };

/** A first failure that can be retried. */
export function inputsWith(more: Partial<DecisionInputs> = {}): DecisionInputs {
  return {
    turnId: 'turn',
    toolName: 'search',
    classification: 'transient',
    category: 'unavailable',
    rule: 'status:503',
    failure: 'error',
    ambiguous: false,
    circuit: 'closed',
    probe: false,
    attempts: 1,
    maxAttempts: 5,
    retryCount: 0,
    nextDelayMs: 100,
    retryElapsedMs: 0,
    maxTotalTimeMs: 2_000,
    alternatives: [],
    partialAvailable: false,
    acceptPartial: false,
    fallbackAvailable: false,
    optional: false,
    recoveryRules: [],
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
  fc.tuple(counts, tool).map(([both, toolName]) => ({ strategy: 'use_alternative' as const, toolName, ...both })),
);
const circuit = fc.constantFrom('closed' as const, 'open' as const, 'half_open' as const);
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });

/** Arbitrary inputs of a decision. */
export const anyInputs: fc.Arbitrary<DecisionInputs> = fc
  .record({
    classification: fc.constantFrom('transient' as const, 'transient' as const, 'permanent' as const, 'neutral' as const),
    failure: fc.constantFrom('error' as const, 'timeout' as const, 'refused' as const),
    ambiguous: fc.boolean(),
    effect: maybe(fc.constantFrom('read' as const, 'idempotent' as const, 'unsafe' as const)),
    circuit,
    probe: fc.boolean(),
    attempts: fc.nat(7),
    maxAttempts: fc.integer({ min: 1, max: 6 }),
    nextDelayMs: fc.nat(3_000),
    retryElapsedMs: fc.nat(3_000),
    maxTotalTimeMs: fc.nat(3_000),
    turnTimeLeftMs: maybe(fc.nat(3_000)),
    retryBudgetLeft: maybe(fc.nat(3)),
    turnRetriesLeft: maybe(fc.nat(3)),
    alternatives: fc.uniqueArray(fc.record({ toolName: tool, circuit, available: fc.boolean() }), {
      selector: ({ toolName }) => toolName,
    }),
    partialAvailable: fc.boolean(),
    acceptPartial: fc.boolean(),
    fallbackAvailable: fc.boolean(),
    optional: fc.boolean(),
    recoveryRules: fc.array(rule, { maxLength: 4 }),
    evidence: fc.array(evidence, { maxLength: 3 }),
  })
  .map(({ effect, turnTimeLeftMs, retryBudgetLeft, turnRetriesLeft, ...rest }) =>
    inputsWith({
      ...rest,
      ...(effect === undefined ? {} : { effect }),
      ...(turnTimeLeftMs === undefined ? {} : { turnTimeLeftMs }),
      ...(retryBudgetLeft === undefined ? {} : { retryBudgetLeft }),
      ...(turnRetriesLeft === undefined ? {} : { turnRetriesLeft }),
    }),
  );
