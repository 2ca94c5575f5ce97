/** Properties of the reader for any text, and its time for large ones. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readArguments } from '../../src/arguments/read-arguments.ts';
import { ask, object } from '../support/reading.ts';

describe('for any text', () => {
  const pieces = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"',
    "'",
    '\\',
    ',',
    ':',
    '"a":',
    'true',
    'None',
    '1',
    ' ',
    '\n',
    '```',
    '<|im_end|>',
    '…',
    '//',
    '\\u00',
  );
  const mess = fc.oneof(
    fc.string(),
    fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join('')),
  );

  test('never throws, and returns an object if it accepts the text', () => {
    fc.assert(
      fc.property(fc.oneof(mess, fc.anything()), fc.boolean(), (raw, truncated) => {
        const reading = readArguments(ask(raw, { truncated, effect: 'read', schema: object({ a: { type: 'integer' } }) }));
        if (!reading.ok) return reading.message.length > 0;
        return typeof reading.value === 'object' && reading.value !== null && !Array.isArray(reading.value);
      }),
      { numRuns: 3_000 },
    );
  });

  test('never mistakes part of a string for the whole', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), fc.nat(), (value, at) => {
        const whole = JSON.stringify(value);
        const part = whole.slice(0, 1 + (at % (whole.length - 1)));
        expect(readArguments(ask(part, { effect: 'read' })).ok).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });

  test('any JSON is read unchanged', () => {
    const name = fc.string().filter((key) => key !== '__proto__' && key !== 'constructor');
    fc.assert(
      fc.property(fc.dictionary(name, fc.jsonValue({ depthSize: 'small' })), (value) => {
        const raw = JSON.stringify(value);
        if (/"(?:__proto__|constructor)"|^\{(?:"\\")/.test(raw) || /\d{16}|e\+/.test(raw)) return;
        expect(readArguments(ask(raw))).toEqual({ ok: true, value: JSON.parse(raw), repairs: [] });
      }),
    );
  });

  test.each<readonly [string, (size: number) => string]>([
    ['quotes', (size) => '"'.repeat(size)],
    ['single quotes', (size) => `{'a':${"'x ".repeat(size / 3)}}`],
    ['braces', (size) => '{'.repeat(size)],
    ['lists', (size) => '['.repeat(size / 2) + ']'.repeat(size / 2)],
    ['backslashes', (size) => `{"a":"${'\\'.repeat(size)}`],
    ['code in a string', (size) => `{"a":"${'if (x == "y") { z(); }\n'.repeat(size / 23)}"}`],
    ['comments', (size) => `{${'/*'.repeat(size / 2)}`],
    ['objects', (size) => '{"a":1}'.repeat(size / 7)],
    ['tokens', (size) => `{"a":1,}${'<|im_end|>'.repeat(size / 10)}`],
    ['long numbers', (size) => `{"a":${'1'.repeat(size)}}`],
    ['a thousand names', (size) => `{${'"a":1,'.repeat(size / 6)}}`],
    ['blanks', (size) => `{"a":"x" ${' '.repeat(size)}`],
    ['quotes and blanks', (size) => `{${`"a"${' '.repeat(100)}`.repeat(size / 103)}}`],
    ['deep objects', (size) => '{"a":'.repeat(size / 6) + '1' + '}'.repeat(size / 6)],
    ['lists in a list', (size) => `{"a":[${'[],'.repeat(size / 3)}[]]}`],
    ['strings in a list', (size) => `{"a":[${'"x",'.repeat(size / 4)}"x"]}`],
    ['a string with escapes', (size) => `{"a":"${String.raw`\"\d`.repeat(size / 4)}"}`],
    ['text in text', (size) => JSON.stringify(JSON.stringify({ a: 'x'.repeat(size) }))],
    ['fences', (size) => '```'.repeat(size / 3)],
    ['colons', (size) => ':'.repeat(size)],
  ])('2 MB of %s take little time', (_name, make) => {
    const raw = make(2_000_000);
    // Processor time, so that a busy machine does not matter.
    const start = process.cpuUsage();
    for (const effect of ['read', undefined] as const)
      expect(readArguments(ask(raw, { effect, schema: object({ a: { type: 'integer' } }) })).ok).toBeTypeOf('boolean');
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(3_000);
  });
});
