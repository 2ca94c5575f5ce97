import { expect, test } from 'vitest';
import { alertPath, failurePath, placeOf, toolPath, turnPath, whatIfPath } from '../../src/data/routes.ts';

test('paths encode special characters', () => {
  expect(toolPath('files/read ü')).toBe('/tools/files%2Fread%20%C3%BC');
  expect(toolPath('a', { range: '6h', change: 4 })).toBe('/tools/a?range=6h&change=4');
  expect(turnPath('t/1', { call: 'a&b', attempt: 2 })).toBe('/turns/t%2F1?call=a%26b&attempt=2');
  expect(turnPath('t', { run: 3 })).toBe('/turns/t?run=3');
  expect(whatIfPath('t')).toBe('/turns/t/what-if');
  expect(failurePath('x#y')).toBe('/failures/x%23y');
  expect(alertPath('3ac6')).toBe('/alerts?alert=3ac6');
});

test('an attempt number of 0 is left out of the path', () => {
  expect(turnPath('t', placeOf({ call_id: 'c', attempt: 0 }))).toBe('/turns/t?call=c');
  expect(turnPath('t', placeOf({ call_id: 'c', attempt: 2 }))).toBe('/turns/t?call=c&attempt=2');
});
