import { expect, test } from 'vitest';
import { isExact, keepsDigits } from '../../src/arguments/exact-number.ts';

test.each([
  '0',
  '-0',
  '5',
  '9007199254740992',
  '-9007199254740991',
  '0.1',
  '13.40495400000000012',
  '1e3',
  '1e20',
  '1.5e22',
  '1.23456789012345678901e-3',
  '5e-324',
  '0e-400',
])('%s keeps its value', (digits) => expect(isExact(digits)).toBe(true));

test.each([
  '9007199254740993',
  '12345678901234567890',
  '12345678901234567890.0',
  '9007199254740993.5',
  '1.2345678901234567890e19',
  '12345678901234567890e0',
  '123456789012345678900e-1',
  '6.02214076e23',
  '1.7976931348623157e308',
  '9007199254740993e0',
  '1e400',
  '1e-400',
  '1'.repeat(500),
  'x',
  '',
])('%s does not', (digits) => expect(isExact(digits)).toBe(false));

test.each(['6.02214076e23', '1e23', '1.7976931348623157e308', '1e-7'])('%s keeps its digits', (digits) =>
  expect(keepsDigits(digits)).toBe(true),
);

test.each(['12345678901234567890e0', '1e400', '1.2345678901234567890e19', 'x'])('%s does not keep its digits', (digits) =>
  expect(keepsDigits(digits)).toBe(false),
);
