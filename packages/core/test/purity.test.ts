import { expect, test } from 'vitest';
import fc from 'fast-check';

test.each([
  ['Date.now', () => Date.now()],
  ['Math.random', () => Math.random()],
  ['setTimeout', () => setTimeout(() => undefined, 0)],
  ['setInterval', () => setInterval(() => undefined, 1)],
  ['fetch', () => fetch('http://127.0.0.1/')],
] as const)('%s is not available to the tests of the core', (name, use) => {
  expect(use).toThrow(`core is pure: ${name}`);
});

test('property tests run with a seed that was drawn before', () => {
  fc.assert(fc.property(fc.integer(), (value) => value === value));
  expect(fc.readConfigureGlobal().seed).toBeTypeOf('number');
});
