/**
 * Owns recovery rules (the Consciousness rules of docs/specification.md#s0-6-1): declarative sentences that allow, deny or prefer a strategy. Does not own what follows from them (`decide.ts`).
 *
 * Invariant: a rule is matched on recorded facts only, so that a replay matches the same rules.
 */
import type { DecisionInputs, MatchedRule, Strategy } from './decision.ts';

/** When a rule applies: every named field must have one of its values. An empty `when` always applies. */
export interface RecoveryCondition {
  readonly tool?: readonly string[];
  readonly category?: readonly string[];
  readonly classification?: readonly string[];
  readonly effect?: readonly string[];
  /** Turn ids. */
  readonly turn?: readonly string[];
}

export interface RecoveryRule {
  /** Said in the trace. */
  readonly name: string;
  readonly when?: RecoveryCondition;
  readonly allow?: readonly Strategy[];
  readonly deny?: readonly Strategy[];
  readonly prefer?: Strategy;
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

/** The rules that speak about this failure, in their order. */
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

/** The first rule that allows or denies the strategy decides; no rule: allowed. */
export function ruleFor(matched: readonly MatchedRule[], strategy: Strategy): MatchedRule | undefined {
  return matched.find((rule) => rule.strategy === strategy && rule.effect !== 'prefer');
}

/** The strategy that the first preferring rule wants to see tried first. */
export function preferredStrategy(matched: readonly MatchedRule[]): MatchedRule | undefined {
  return matched.find((rule) => rule.effect === 'prefer');
}
