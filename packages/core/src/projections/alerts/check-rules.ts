/** Owns checking rules given in code or a manifest. Every refusal names the rule, the field and the fix. */
import { refuse } from '../../engine/settings/check.ts';
import type { AlertCondition, AlertRule } from './rule.ts';
import { selectorsOf } from './selectors.ts';

const nameForm = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const metricForm = /^[A-Za-z_:][A-Za-z0-9_:]{0,199}$/;
/** Prometheus reserves names that begin with `__`. */
const isLabel = (name: string): boolean => nameForm.test(name) && !name.startsWith('__');

/** @throws TypeError | RangeError */
export function checkRules(rules: readonly AlertRule[]): void {
  const names = new Set<string>();
  for (const rule of rules) {
    if (!nameForm.test(rule.name)) refuse('rules: name', rule.name, 'letters, digits and _');
    if (names.has(rule.name)) refuse('rules: name', rule.name, 'unique');
    names.add(rule.name);
    checkRule(rule);
  }
}

function checkRule(rule: AlertRule): void {
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
