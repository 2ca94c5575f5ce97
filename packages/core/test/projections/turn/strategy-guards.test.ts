import { expect, test } from 'vitest';
import type { Guard } from '../../../src/engine/recover/decision.ts';
import { groupByStrategy, guardName, guardSubject, compareToLimit, measuresTime } from '../../../src/projections/turn/strategy-guards.ts';

const guard = (name: string, passed = true): Guard => ({ guard: name, passed, value: passed });

const shown = (guards: readonly Guard[]): readonly string[] =>
  groupByStrategy(guards).map(({ strategy, subject, guards: own }) => `${strategy}(${subject}): ${own.map(guardName).join(', ')}`);

test('adjacent checks of one strategy are one group', () => {
  expect(shown(['timed_out', 'transient', 'attempts_left', 'fallback_declared', 'not_cancelled'].map((name) => guard(name)))).toEqual([
    'partial(): timed_out',
    'retry(): transient, attempts_left',
    'fallback(): fallback_declared, not_cancelled',
  ]);
});

test('each alternative is a group with the name of its tool', () => {
  const names = ['safe_to_replace', 'alternative_available:one', 'not_cancelled', 'safe_to_replace', 'alternative_available:two'];
  expect(shown(names.map((name) => guard(name)))).toEqual([
    'alternative(one): safe_to_replace, alternative_available, not_cancelled',
    'alternative(two): safe_to_replace, alternative_available',
  ]);
});

test('unknown checks and damaged records do no harm', () => {
  const damaged = [guard('of_a_later_version'), null, 7, { guard: 5 }] as readonly unknown[] as readonly Guard[];
  expect(shown(damaged)).toEqual(['other(): of_a_later_version, ']);
});

test('how a check is shown', () => {
  expect(guardSubject(guard('alternative_available:one'))).toBe('one');
  expect(guardSubject(guard('transient'))).toBe('');
  expect([measuresTime(guard('turn_time_left')), measuresTime(guard('attempts_left'))]).toEqual([true, false]);
  expect([guard('attempts_left'), guard('attempts_left', false)].map(compareToLimit)).toEqual(['below', 'not below']);
  expect([guard('retry_budget_left'), guard('retry_budget_left', false)].map(compareToLimit)).toEqual(['at least', 'needs']);
});

test.each(['', null, undefined, 3, {}, ['x', null]])('a damaged record of checks (%j) has no groups', (guards) => {
  expect(groupByStrategy(guards as never)).toEqual([]);
});
