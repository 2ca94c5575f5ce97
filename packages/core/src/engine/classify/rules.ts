/**
 * Owns a manifest's own rules: checking them once, and matching them against the gathered evidence.
 *
 * 1. An invalid rule is refused when it is given, with its path, value and fix, never when an error arrives.
 * 2. Patterns are applied to at most `patternScan` characters of each message, so that even a slow one stays bounded.
 */
import { checkOptions } from '../settings/check-options.ts';
import { checkRule, refuse, type Fields, type NumberRule, type Rule } from '../settings/check.ts';
import { type ClassificationRule, errorCategories } from './classification.ts';
import { describeError } from './describe-error.ts';
import { withMembers } from './layer.ts';
import type { Layer } from './layer.ts';
import { statusInText } from './text-findings.ts';

const patternScan = 512;
const patternLength = 256;

/** A checked rule. */
export interface CompiledRule {
  /** The rule as given. */
  readonly source: ClassificationRule;
  /** The HTTP statuses that match; empty when the rule has none. */
  readonly statuses: readonly number[];
  /** The compiled `message`, case-insensitive; `undefined` when the rule has none. */
  readonly pattern: RegExp | undefined;
  /** Used in the rule of a classification, such as `status=503`. */
  readonly label: string;
}

/** A repetition of something that repeats: `(a+)+`, `(.*)*`, `(a|b*){2,}`. */
const nestedRepetition = /\((?:[^()\\]|\\.)*[*+}](?:[^()\\]|\\.)*\)(?:[*+]|\{\d+,)/;
const backReference = /\\[1-9]|\\k</;

const filledText: Rule = (value, field) => {
  if (typeof value !== 'string' || value === '') refuse(field, value, 'a string that is not empty', '');
};

const pattern: Rule = (value, field, guess) => {
  checkRule(filledText, value, field, guess);
  const message = value as string;
  if (message.length > patternLength) refuse(field, value, `a pattern of at most ${patternLength} characters`);
  if (nestedRepetition.test(message)) refuse(field, value, 'a pattern that repeats no group that repeats inside, which can take forever');
  if (backReference.test(message)) refuse(field, value, 'a pattern that does not refer back to a group');
  try {
    RegExp(message, 'i');
  } catch (error) {
    refuse(field, value, `a regular expression (${describeError(error).message})`);
  }
};

const status: NumberRule = ['an HTTP status from 100 to 599, or a list of them', 100, 599, true];

const conditions: Fields = {
  status: (value, field, guess) => {
    if (!Array.isArray(value)) return checkRule(status, value, field, guess);
    if (value.length === 0) refuse(field, value, status[0], 'object');
    for (const [index, one] of (value as readonly unknown[]).entries()) checkRule(status, one, `${field}[${index}]`, guess);
  },
  code: filledText,
  name: filledText,
  message: pattern,
};

const ruleFields: Fields = { ...conditions, category: errorCategories, as: ['transient', 'permanent'] };

/**
 * Checks rules once, so that matching them cannot fail.
 * @param where The path of the rules in errors. @default 'classification'
 * @throws TypeError | RangeError for a rule with an unknown field, without a condition, with a value of the wrong kind, or with a pattern that is not a
 * regular expression, is too long, or nests repetitions (such patterns can take forever); it names the path, the value and the fix.
 */
export function compileRules(rules: readonly ClassificationRule[], where = 'classification'): readonly CompiledRule[] {
  if (!Array.isArray(rules)) return refuse(where, rules, 'an array of rules', '');
  return Array.from(rules as readonly ClassificationRule[], (rule, index) => compileRule(rule, `${where}[${index}]`));
}

function compileRule(given: ClassificationRule, where: string): CompiledRule {
  checkOptions(ruleFields, given, where, ['as']);
  const source = { ...given };
  if (Object.keys(conditions).every((name) => source[name as keyof ClassificationRule] === undefined))
    throw new TypeError(
      `${where} has no condition, so it would match every error. Give it at least one of ${Object.keys(conditions).join(', ')}.`,
    );
  const statuses = typeof source.status === 'number' ? [source.status] : [...(source.status ?? [])];
  return {
    source,
    statuses,
    pattern: source.message === undefined ? undefined : new RegExp(source.message, 'i'),
    label: labelOf(source, statuses),
  };
}

function labelOf(source: ClassificationRule, statuses: readonly number[]): string {
  const conditions = [
    ...(statuses.length > 0 ? [`status=${statuses.join('|')}`] : []),
    ...(source.code === undefined ? [] : [`code=${source.code}`]),
    ...(source.name === undefined ? [] : [`name=${source.name}`]),
    ...(source.message === undefined ? [] : [`message=${source.message}`]),
  ];
  return conditions.join(',');
}

/** The first rule whose every condition holds somewhere in the error. */
export function matchingRule(rules: readonly CompiledRule[], layers: readonly Layer[]): CompiledRule | undefined {
  if (rules.length === 0) return undefined;
  const all = withMembers(layers);
  return rules.find((rule) => matches(rule, all));
}

function matches({ source, statuses, pattern }: CompiledRule, layers: readonly Layer[]): boolean {
  const { code, name } = source;
  if (statuses.length > 0 && !layers.some((layer) => statusesOf(layer).some((status) => statuses.includes(status)))) return false;
  if (code !== undefined && !layers.some(({ codes }) => codes.some(({ value }) => String(value) === code))) return false;
  if (name !== undefined && !layers.some(({ names }) => names.includes(name))) return false;
  return pattern === undefined || layers.some(({ texts }) => texts.some((text) => pattern.test(text.slice(0, patternScan))));
}

function statusesOf(layer: Layer): readonly number[] {
  const coded = layer.codes.map(({ value }) => value).filter((value) => typeof value === 'number');
  const named = layer.texts.map(statusInText).filter((status) => status !== undefined);
  return [...layer.statuses, ...coded, ...named];
}
