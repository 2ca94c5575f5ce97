import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRedactor, redactedCopy } from '../../../src/engine/plain/redact.ts';

const redact = createRedactor();

describe('card and social security numbers', () => {
  it.each([
    ['4111 1111 1111 1111'],
    ['4111-1111-1111-1111'],
    ['4111111111111111'],
    ['4222 222 222 222'],
    ['5555555555554444'],
    ['2223 0031 2200 3222'],
    ['3782 822463 10005'],
    ['378282246310005'],
    ['3056 930902 5904'],
    ['6011 1111 1111 1117'],
    ['3530111333300000'],
    ['6200 0000 0000 0000 000'],
    ['123-45-6789'],
  ])('%s', (number) => {
    for (const [before, after] of [
      ['', ''],
      ['charged ', ' twice.'],
      ['{"n":"', '"}'],
      ['card=', ','],
      ['Paid 2026 ', ' 2027'],
      ['(', ').'],
    ] as const)
      expect(redact(`${before}${number}${after}`)).toBe(`${before}[redacted]${after}`);
  });

  it('are masked in a copy as numbers, too, and by the name of their field', () => {
    const given = {
      pay: [4_111_111_111_111_111, '4111 1111 1111 1111'],
      card_number: '1',
      cvv: 123,
      customer_ssn: '123456789',
      total: 4_111,
    };
    expect(redactedCopy(given, { redact })).toEqual({
      pay: ['[redacted]', '[redacted]'],
      card_number: '[redacted]',
      cvv: '[redacted]',
      customer_ssn: '[redacted]',
      total: 4_111,
    });
  });

  it.each([
    '4111 1111 1111 1112',
    '000-12-3456 666-12-3456 900-12-3456 123-00-4567 123-45-0000',
    'order ORD-4111111111111111, 4111111111111111-A, x4111111111111111',
    'price 0.4111111111111111 and 4111111111111111.25',
    '+4111111111111111',
    'EAN 4006381333931, IMEI 490154203237518, account 123456789012',
    'invoice 2026-45-67890, range 123-45-67890, part 1123-45-6789',
  ])('kept: %s', (text) => {
    expect(redact(text)).toBe(text);
  });

  const digit = fc.constantFrom(...'0123456789'.split(''));
  const digits = (length: number): fc.Arbitrary<string> => fc.string({ unit: digit, minLength: length, maxLength: length });
  const date = fc.date({ min: new Date('2001-09-10T00:00:00Z'), max: new Date('2065-01-01T00:00:00Z'), noInvalidDate: true });
  const ordinary: Readonly<Record<string, fc.Arbitrary<string>>> = {
    'order numbers': fc.integer({ min: 1, max: 12 }).chain(digits),
    'order numbers with a prefix': fc
      .tuple(fc.constantFrom('ORD-', 'INV', 'PO_', 'A-'), fc.integer({ min: 1, max: 20 }).chain(digits))
      .map((parts) => parts.join('')),
    barcodes: digits(13),
    'long numbers': fc.integer({ min: 20, max: 40 }).chain(digits),
    'phone numbers': fc
      .tuple(digits(3), digits(3), digits(4), fc.constantFrom('-', ' ', '.'))
      .map(([area, office, line, mark]) => [area, office, line].join(mark)),
    'international phone numbers': fc
      .integer({ min: 7, max: 15 })
      .chain(digits)
      .map((number) => `+${number}`),
    UUIDs: fc.uuid(),
    'UUIDs of digits': fc.tuple(digits(8), digits(4), digits(4), digits(4), digits(12)).map((parts) => parts.join('-')),
    times: date.map((when) => when.toISOString()),
    'times of digits': date.map((when) => when.toISOString().replace(/\D/g, '')),
    'milliseconds, microseconds and nanoseconds': fc
      .tuple(fc.integer({ min: 1_000_000_000, max: 1_999_999_999 }), fc.constantFrom(3, 6, 9).chain(digits))
      .map(([seconds, part]) => `${String(seconds)}${part}`),
    fractions: fc
      .double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 })
      .filter((value) => !Number.isInteger(value))
      .map(String),
    addresses: fc.ipV4(),
  };
  it.each(Object.entries(ordinary))('%s are kept', (_name, some) => {
    fc.assert(
      fc.property(some, (number) => {
        for (const text of [number, `sent ${number} to them`, `{"id":"${number}"}`]) expect(redact(text)).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });

  it('of 10,000 random numbers of 16 digits, fewer than 4 % could be card numbers', () => {
    const some = fc.sample(digits(16), { numRuns: 10_000, seed: 21 });
    expect(some.filter((number) => redact(number) !== number).length).toBeLessThan(400);
  });
});
