/**
 * Owns a manifest's own rules: checking them once, and matching them against the gathered evidence.
 *
 * 1. An invalid rule is refused when it is given, with its index, field, value and fix, never when an error arrives.
 * 2. Patterns are applied to at most `patternScan` characters of each message, so that even a slow one stays bounded.
 */
import { type ClassificationRule, errorCategories } from './classification.ts';
import { withMembers } from './evidence.ts';
import type { Layer } from './evidence.ts';
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

const preview = (value: unknown): string => {
  try {
    return typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : String(value);
  } catch {
    return 'a value that cannot be displayed';
  }
};

function refuse(index: number, field: string, value: unknown, hint: string): never {
  throw new TypeError(`classification rule ${String(index)}: ${field} is ${preview(value)}; ${hint}`);
}

/**
 * Checks rules once, so that matching them cannot fail.
 * @throws {TypeError} for a rule without a condition, with a value of the wrong kind, or with a pattern that is not a
 * regular expression, is too long, or nests repetitions (such patterns can take forever)
 */
export function compileRules(rules: readonly ClassificationRule[]): readonly CompiledRule[] {
  return rules.map((rule, index) => compileRule(rule, index));
}

function compileRule(source: ClassificationRule, index: number): CompiledRule {
  if (typeof source !== 'object' || source === null) refuse(index, 'rule', source, 'give an object with a condition and `as`');
  const { status, category, as } = source;
  if (as !== 'transient' && as !== 'permanent') refuse(index, 'as', as, 'say "transient" or "permanent"');
  if (category !== undefined && !errorCategories.includes(category))
    refuse(index, 'category', category, `use one of ${errorCategories.join(', ')}`);
  for (const field of ['code', 'name', 'message'] as const) checkText(source[field], field, index);
  const statuses = checkedStatuses(status, index);
  if (statuses.length === 0 && source.code === undefined && source.name === undefined && source.message === undefined) {
    refuse(index, 'rule', 'without a condition', 'give at least one of status, code, name, message');
  }
  return {
    source,
    statuses,
    pattern: source.message === undefined ? undefined : checkedPattern(source.message, index),
    label: labelOf(source, statuses),
  };
}

function checkText(value: unknown, field: string, index: number): void {
  if (value !== undefined && (typeof value !== 'string' || value.length === 0))
    refuse(index, field, value, 'give a string that is not empty');
}

function checkedStatuses(status: ClassificationRule['status'], index: number): readonly number[] {
  if (status === undefined) return [];
  const statuses = typeof status === 'number' ? [status] : status;
  if (!Array.isArray(statuses) || statuses.length === 0) refuse(index, 'status', status, 'give an HTTP status or a list of them');
  for (const each of statuses as readonly unknown[]) {
    if (typeof each !== 'number' || !Number.isInteger(each) || each < 100 || each > 599)
      refuse(index, 'status', each, 'give whole numbers from 100 to 599');
  }
  return statuses as readonly number[];
}

/** A repetition of something that repeats: `(a+)+`, `(.*)*`, `(a|b*){2,}`. */
const nestedRepetition = /\((?:[^()\\]|\\.)*[*+}](?:[^()\\]|\\.)*\)(?:[*+]|\{\d+,)/;
const backReference = /\\[1-9]|\\k</;

function checkedPattern(message: string, index: number): RegExp {
  if (message.length > patternLength) refuse(index, 'message', message, `keep the pattern under ${String(patternLength)} characters`);
  if (nestedRepetition.test(message)) refuse(index, 'message', message, 'do not repeat a group that repeats inside, it can take forever');
  if (backReference.test(message)) refuse(index, 'message', message, 'do not refer back to a group');
  try {
    return new RegExp(message, 'i');
  } catch (error) {
    return refuse(index, 'message', message, `give a regular expression (${String(error)})`);
  }
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
