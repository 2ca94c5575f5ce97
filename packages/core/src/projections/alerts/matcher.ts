/** Owns whether an alert's labels match, as Alertmanager has it: a label that is missing is an empty one. */
import type { Labels } from './alert.ts';
import { compilePattern } from './pattern.ts';
import type { LabelMatcher } from './rule.ts';

export type LabelTest = (labels: Labels) => boolean;

/** Every one has to match. Errors: RangeError for a list that is empty or too long, or a pattern that cannot be. */
export function compileMatchers(matchers: readonly LabelMatcher[]): LabelTest {
  if (matchers.length === 0) throw new RangeError('matchers: at least one, or everything would match');
  if (matchers.length > 20) throw new RangeError(`matchers: ${matchers.length} are too many, at most 20`);
  const tests = matchers.map(compileMatcher);
  return (labels) => tests.every((test) => test(labels));
}

function compileMatcher({ name, value, isRegex = false, isEqual = true }: LabelMatcher): LabelTest {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name)) throw new RangeError(`matchers: "${name.slice(0, 40)}" is no name of a label`);
  const test = isRegex ? compilePattern(value) : (text: string): boolean => text === value;
  return (labels) => test(Object.hasOwn(labels, name) ? (labels[name] ?? '') : '') === isEqual;
}
