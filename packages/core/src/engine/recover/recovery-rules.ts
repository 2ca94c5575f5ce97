/**
 * Owns recovery rules (the Consciousness rules of docs/specification.md#s0-6-1): declarative rules that allow, deny or prefer a strategy.
 * Does not own the decision (`decide.ts`).
 *
 * Invariant: a rule is matched on recorded facts only, so that a replay matches the same rules.
 */
import type { DecisionInputs, MatchedRule, Strategy } from './decision.ts';

/** When a rule applies: every named field must have one of its values. An empty `when` always applies. */
export interface RecoveryCondition {
  /** Tool names. */
  readonly tool?: readonly string[];
  /** Kinds of failure, such as `rate_limit`. */
  readonly category?: readonly string[];
  /** `transient`, `permanent` or `neutral`. */
  readonly classification?: readonly string[];
  /** Declared effects; a tool that declares none matches no value. */
  readonly effect?: readonly string[];
  /** Turn ids. */
  readonly turn?: readonly string[];
}

/** Allows, denies or prefers strategies for the failures that match it (docs/specification.md#s0-6-1). */
export interface RecoveryRule {
  /** Name of the rule, as the trace shows it. */
  readonly name: string;
  /** The failures that the rule applies to. @default all */
  readonly when?: RecoveryCondition;
  /** Strategies that no later rule can deny. */
  readonly allow?: readonly Strategy[];
  /** Strategies that no later rule can allow. */
  readonly deny?: readonly Strategy[];
  /** The strategy to try first; the first matching rule that prefers one decides. */
  readonly prefer?: Strategy;
  /** Why; quoted in the decision's reason when the rule denies. */
  readonly reason?: string;
}

type Facts = Pick<DecisionInputs, 'turnId' | 'toolName' | 'category' | 'classification' | 'effect'>;

function applies({ tool, category, classification, effect, turn }: RecoveryCondition, facts: Facts): boolean {
  return (
    (tool?.includes(facts.toolName) ?? true) &&
    (category?.includes(facts.category) ?? true) &&
    (classification?.includes(facts.classification) ?? true) &&
    (turn?.includes(facts.turnId) ?? true) &&
    (effect === undefined || (facts.effect !== undefined && effect.includes(facts.effect)))
  );
}

/** The rules that match this failure, in their order. */
export function matchRules(rules: readonly RecoveryRule[], facts: Facts): readonly MatchedRule[] {
  if (rules.length === 0) return [];
  return rules
    .filter((rule) => applies(rule.when ?? {}, facts))
    .flatMap(({ name, allow = [], deny = [], prefer, reason }) => {
      const toMatchedRule = (effect: MatchedRule['effect'], strategy: Strategy): MatchedRule => ({
        rule: name,
        effect,
        strategy,
        ...(reason ? { reason } : {}),
      });
      return [
        ...allow.map((strategy) => toMatchedRule('allow', strategy)),
        ...deny.map((strategy) => toMatchedRule('deny', strategy)),
        ...(prefer ? [toMatchedRule('prefer', prefer)] : []),
      ];
    });
}

/** The first rule that allows or denies the strategy decides; without a rule it is allowed. */
export function ruleFor(matched: readonly MatchedRule[], strategy: Strategy): MatchedRule | undefined {
  return matched.find((rule) => rule.strategy === strategy && rule.effect !== 'prefer');
}

/** The strategy that the first preferring rule wants tried first. */
export function preferredStrategy(matched: readonly MatchedRule[]): MatchedRule | undefined {
  return matched.find((rule) => rule.effect === 'prefer');
}
