/** Owns whether an alert's labels match, with the semantics of Alertmanager: a missing label counts as empty. */
import type { Labels } from './alert.ts';
import { compilePattern } from './pattern.ts';
import type { LabelMatcher } from './rule.ts';

export type LabelTest = (labels: Labels) => boolean;

/** Returns a test that passes when every matcher matches. @throws RangeError for a list that is empty or too long, or an invalid pattern */
export function compileMatchers(matchers: readonly LabelMatcher[]): LabelTest {
  if (matchers.length === 0) throw new RangeError('matchers: at least one is required, or everything would match');
  if (matchers.length > 20) throw new RangeError(`matchers: ${matchers.length} is too many; at most 20`);
  const tests = matchers.map(compileMatcher);
  return (labels) => tests.every((test) => test(labels));
}

function compileMatcher({ name, value, isRegex = false, isEqual = true }: LabelMatcher): LabelTest {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name)) throw new RangeError(`matchers: "${name.slice(0, 40)}" is not a valid label name`);
  const test = isRegex ? compilePattern(value) : (text: string): boolean => text === value;
  return (labels) => test(Object.hasOwn(labels, name) ? (labels[name] ?? '') : '') === isEqual;
}
