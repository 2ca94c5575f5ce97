import { expect, test } from 'vitest';
import { formatDuration } from '../../../src/engine/plain/duration.ts';
import { joinWithAnd, toolTitle } from '../../../src/engine/plain/tool-title.ts';

test.each([
  [0, '0ms'],
  [249.6, '250ms'],
  [999, '999ms'],
  [1_000, '1s'],
  [1_540, '1.5s'],
  [30_000, '30s'],
  [Number.POSITIVE_INFINITY, 'no limit'],
])('%s ms is written as %s', (milliseconds, expected) => {
  expect(formatDuration(milliseconds)).toBe(expected);
});

test.each([
  ['flight_search', 'flight search'],
  ['get-weather.now', 'get weather now'],
  ['two__underscores', 'two underscores'],
  ['_private_', 'private'],
  ['search', 'search'],
  // Nothing of the text would remain.
  ['__', '__'],
])('the title of %s is %s', (name, expected) => {
  expect(toolTitle(name)).toBe(expected);
});

test.each([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b'], 'a and b'],
  [['a', 'b', 'c'], 'a, b and c'],
])('%j is written as %s', (items, expected) => {
  expect(joinWithAnd(items)).toBe(expected);
});
