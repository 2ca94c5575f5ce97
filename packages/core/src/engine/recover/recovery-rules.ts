/**
 * Owns recovery rules (the Consciousness rules of docs/specification.md#s0-6-1): declarative rules that allow, deny or prefer a strategy.
 * Does not own the decision (`decide.ts`).
 *
 * Invariants
 * 1. Rules are read once, where they are given. One that cannot be read is refused with its path, and all others with it: a rule that denies is never dropped.
 * 2. A rule is matched on recorded facts only, so that a replay matches the same rules. Matching a rule that was read cannot fail.
 */
import { checkOptions } from '../settings/check-options.ts';
import { errorCategories } from '../classify/classification.ts';
import { describeError } from '../classify/describe-error.ts';
import { checkRule, isPlain, refuse, type Fields, type Rule } from '../settings/check.ts';
import { effects } from '../settings/fields.ts';
import { withoutUndefined } from '../plain/without-undefined.ts';
import type { DecisionInputs, MatchedRule, Strategy } from './decision.ts';

/** When a rule applies: every field that is set must have one of its values. An empty `when` always applies. */
export interface RecoveryCondition {
  /** A tool name or several, compared exactly: `book` does not match `book_hotel`. There are no patterns. */
  readonly tool?: string | readonly string[] | undefined;
  /** Kinds of failure, such as `rate_limit`. */
  readonly category?: string | readonly string[] | undefined;
  /** `transient`, `permanent` or `neutral`. */
  readonly classification?: string | readonly string[] | undefined;
  /** Declared effects; a tool that declares none matches no value. */
  readonly effect?: string | readonly string[] | undefined;
  /** Turn ids, compared exactly. */
  readonly turn?: string | readonly string[] | undefined;
}

/** Allows, denies or prefers strategies for the failures that match it (docs/specification.md#s0-6-1). At least one of the three is required. */
export interface RecoveryRule {
  /** Name of the rule, as the trace shows it. */
  readonly name: string;
  /** The failures that the rule applies to. @default all */
  readonly when?: RecoveryCondition | undefined;
  /** A strategy or several that no later rule can deny. */
  readonly allow?: Strategy | readonly Strategy[] | undefined;
  /** A strategy or several that no later rule can allow. */
  readonly deny?: Strategy | readonly Strategy[] | undefined;
  /** The strategy to try first; the first matching rule that prefers one decides. */
  readonly prefer?: Strategy | undefined;
  /** Why; quoted in the decision's reason when the rule denies. */
  readonly reason?: string | undefined;
}

/** A rule that was read: complete lists, copied and frozen. */
export interface ReadRecoveryRule extends RecoveryRule {
  /** The failures that the rule applies to: a list of values for every field that is set. @default all */
  readonly when?: { readonly [Field in keyof RecoveryCondition]?: readonly string[] };
  /** Strategies that no later rule can deny. @default none */
  readonly allow?: readonly Strategy[];
  /** Strategies that no later rule can allow. @default none */
  readonly deny?: readonly Strategy[];
}

const strategy: Rule = ['retry', 'use_alternative', 'use_default', 'accept_partial'] satisfies readonly Strategy[];

const filledText: Rule = (value, field) => {
  if (typeof value !== 'string' || value === '') refuse(field, value, 'a non-empty string', 'string');
};

const toolName: Rule = (value, field) => {
  if (typeof value !== 'string' || value === '' || value.includes('*'))
    refuse(field, value, 'the exact name of a tool (there are no patterns: list the names)', 'string');
};

const oneOrMore =
  (rule: Rule): Rule =>
  (value, field, guess) => {
    if (!Array.isArray(value)) return checkRule(rule, value, field, guess);
    if (value.length === 0) refuse(field, value, 'a value or a list of at least one: an empty list would never apply', 'object');
    for (const [index, item] of value.entries()) checkRule(rule, item, `${field}[${index}]`, guess);
  };

const ruleFields: Fields = {
  name: filledText,
  when: {
    tool: oneOrMore(toolName),
    category: oneOrMore(errorCategories),
    classification: oneOrMore(['transient', 'permanent', 'neutral']),
    effect: oneOrMore(effects),
    turn: oneOrMore(filledText),
  },
  allow: oneOrMore(strategy),
  deny: oneOrMore(strategy),
  prefer: strategy,
  reason: 'string',
};

/**
 * Checks and copies rules: each field is read once, and later changes by the caller have no effect.
 * @throws TypeError | RangeError for the first rule that cannot be read, naming its path (with `where` in front), the value and the fix.
 */
export function readRecoveryRules(rules: unknown, where: string): readonly ReadRecoveryRule[] {
  if (!Array.isArray(rules)) return refuse(where, rules, 'an array of rules', '');
  return Object.freeze(Array.from(rules, (rule, index) => readRule(rule, `${where}[${index}]`)));
}

function readRule(given: unknown, where: string): ReadRecoveryRule {
  const rule = copyOfRule(given, where);
  checkOptions(ruleFields, rule, where, ['name']);
  const { when, allow, deny, ...others } = withoutUndefined(rule as RecoveryRule);
  if (allow === undefined && deny === undefined && others.prefer === undefined)
    throw new TypeError(`${where} has no 'allow', 'deny' or 'prefer', so it would have no effect. Add one of them.`);
  const both = [allow ?? []].flat().find((each) => [deny ?? []].flat().includes(each));
  if (both !== undefined) throw new RangeError(`${where} allows and denies '${both}'.`);
  return Object.freeze({
    ...(others as Pick<RecoveryRule, 'name'>),
    ...(when && {
      when: Object.freeze(Object.fromEntries(Object.entries(withoutUndefined(when)).map(([name, value]) => [name, listOf(value)]))),
    }),
    ...(allow && { allow: listOf(allow) }),
    ...(deny && { deny: listOf(deny) }),
  });
}

/** @throws TypeError for a rule whose fields throw when they are read. */
function copyOfRule(rule: unknown, where: string): unknown {
  try {
    return copyOf(rule, 3);
  } catch (error) {
    throw new TypeError(`${where} cannot be read: ${describeError(error).message}`, { cause: error });
  }
}

/** Plain objects and arrays to the given depth; anything else is left for the check to find. */
function copyOf(value: unknown, depth: number): unknown {
  if (depth === 0) return value;
  if (Array.isArray(value)) return Array.from(value, (item) => copyOf(item, depth - 1));
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, copyOf(item, depth - 1)]));
}

function listOf<Item>(value: Item | readonly Item[]): readonly Item[] {
  return Object.freeze(Array.isArray(value) ? (value as readonly Item[]) : [value as Item]);
}

type Facts = Pick<DecisionInputs, 'turnId' | 'toolName' | 'category' | 'classification' | 'effect'>;

function applies({ tool, category, classification, effect, turn }: NonNullable<ReadRecoveryRule['when']>, facts: Facts): boolean {
  return (
    (tool?.includes(facts.toolName) ?? true) &&
    (category?.includes(facts.category) ?? true) &&
    (classification?.includes(facts.classification) ?? true) &&
    (turn?.includes(facts.turnId) ?? true) &&
    (effect === undefined || (facts.effect !== undefined && effect.includes(facts.effect)))
  );
}

/** The rules that match this failure, in their order. */
export function matchRules(rules: readonly ReadRecoveryRule[], facts: Facts): readonly MatchedRule[] {
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
