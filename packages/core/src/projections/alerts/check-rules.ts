/** Owns checking rules given in code or a manifest. Every refusal names the rule, the field and the fix. */
import { fieldsOf } from '../../engine/plain/is-object.ts';
import { checkOptions } from '../../engine/settings/check-options.ts';
import { checkRule, listOf, mapOf, refuse, type Fields, type NumberRule, type Rule } from '../../engine/settings/check.ts';
import { alertCauses } from './causes.ts';
import type { AlertCondition, AlertRule, AlertSeverity } from './rule.ts';
import { selectorsOf } from './selectors.ts';

const nameForm = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const metricForm = /^[A-Za-z_:][A-Za-z0-9_:]{0,199}$/;
/** Prometheus reserves names that begin with `__`. */
const isLabel = (name: string): boolean => nameForm.test(name) && !name.startsWith('__');

const selector: Rule = (value, field) =>
  checkOptions({ metric: 'string', labels: mapOf(oneOrMore, 'an object of values by label'), what: 'string' }, value, field, [
    'metric',
    'what',
  ]);

const oneOrMore: Rule = (value, field, guess) => checkRule(Array.isArray(value) ? listOf('string', '') : 'string', value, field, guess);

const kind: Rule = 'string';
const above: NumberRule = ['a finite number', -Number.MAX_VALUE, Number.MAX_VALUE];
const clearBelow = above;
const minimumVolume: NumberRule = ['a number, 0 or more', 0, Infinity];

/** The fields of each kind of condition. */
const conditions: Readonly<Record<AlertCondition['kind'], Fields>> = {
  ratio: { kind, part: selector, whole: selector, above, clearBelow, minimumVolume, deviations: minimumVolume },
  mean: { kind, of: selector, above, clearBelow, minimumVolume, beside: selector },
  increase: { kind, of: selector, above },
  value: { kind, of: selector, above },
};

const needed: readonly string[] = ['part', 'whole', 'of', 'above'];

const condition: Rule = (value, field, guess) => {
  const fields = { kind: Object.keys(conditions) };
  const given = fieldsOf(value)['kind'];
  checkRule(fields.kind, given, `${field}.kind`, guess);
  const known = conditions[given as AlertCondition['kind']];
  checkOptions(
    known,
    value,
    field,
    needed.filter((name) => name in known),
  );
};

const span: NumberRule = ['whole milliseconds, 0 or more', 0, Number.MAX_SAFE_INTEGER, true];

const ruleFields: Fields = {
  name: 'string',
  severity: ['critical', 'warning', 'info'] satisfies readonly AlertSeverity[],
  by: listOf('string', 'an array of labels'),
  condition,
  windowMs: span,
  forMs: span,
  keepFiringForMs: span,
  labels: mapOf('string', 'an object of values by label'),
  summary: 'string',
  description: 'string',
  cause: alertCauses,
  immediate: 'boolean',
};

/** @throws TypeError | RangeError naming the rule by its path, the field, the value and the fix */
export function checkRules(rules: unknown, where = 'rules'): void {
  if (!Array.isArray(rules)) refuse(where, rules, 'an array of rules', '');
  const names = new Set<string>();
  for (const [index, rule] of (rules as readonly AlertRule[]).entries()) {
    const place = `${where}[${index}]`;
    checkOptions(ruleFields, rule, place, ['name', 'severity', 'by', 'condition', 'summary', 'description']);
    if (!nameForm.test(rule.name)) refuse(`${place}.name`, rule.name, 'letters, digits and _');
    if (names.has(rule.name)) refuse(`${place}.name`, rule.name, 'unique');
    names.add(rule.name);
    checkMeaning(rule);
  }
}

const matcher: Fields = { name: 'string', value: 'string', isRegex: 'boolean', isEqual: 'boolean' };
const matchers = listOf((value, field) => checkOptions(matcher, value, field, ['name', 'value']), 'an array of matchers');
const inhibitFields: Fields = { source: matchers, target: matchers, equal: listOf('string', 'an array of labels') };

/** @throws TypeError | RangeError naming the rule by its path, the field, the value and the fix */
export function checkInhibitRules(rules: unknown, where: string): void {
  if (!Array.isArray(rules)) refuse(where, rules, 'an array of rules', '');
  for (const [index, rule] of (rules as readonly unknown[]).entries())
    checkOptions(inhibitFields, rule, `${where}[${index}]`, Object.keys(inhibitFields));
}

function checkMeaning(rule: AlertRule): void {
  const { name, by, condition, windowMs, labels = {}, forMs = 0, keepFiringForMs = 0 } = rule;
  for (const { metric, labels: wanted = {} } of selectorsOf(rule)) {
    if (!metricForm.test(metric)) refuse(`${name}: metric`, metric, 'the name of a metric');
    for (const label of Object.keys(wanted)) if (!isLabel(label)) refuse(`${name}: labels of ${metric}`, label, 'the name of a label');
  }
  for (const label of [...by, ...Object.keys(labels)]) if (!isLabel(label)) refuse(`${name}: by and labels`, label, 'the name of a label');
  for (const [field, value] of Object.entries({ forMs, keepFiringForMs }))
    if (!(Number.isInteger(value) && value >= 0)) refuse(`${name}: ${field}`, value, 'whole milliseconds, 0 or more', 'number');
  if (condition.kind !== 'value' && !(Number.isInteger(windowMs) && (windowMs ?? 0) > 0))
    refuse(`${name}: windowMs`, windowMs, 'whole milliseconds above 0', 'number');
  checkCondition(name, condition);
}

function checkCondition(name: string, condition: AlertCondition): void {
  if (!Number.isFinite(condition.above)) refuse(`${name}: above`, condition.above, 'a finite number', 'number');
  if (condition.kind !== 'ratio' && condition.kind !== 'mean') return;
  if (condition.clearBelow !== undefined && !(condition.clearBelow <= condition.above))
    refuse(`${name}: clearBelow`, condition.clearBelow, `at most the limit (${condition.above})`, 'number');
  if (condition.kind === 'ratio' && condition.deviations && !(condition.above > 0 && condition.above < 1))
    refuse(`${name}: above`, condition.above, 'a share between 0 and 1 when `deviations` is set', 'number');
}
