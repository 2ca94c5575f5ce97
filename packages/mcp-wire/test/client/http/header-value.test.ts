import fc from 'fast-check';
import { expect, it } from 'vitest';
import { headerValue } from '../../../src/client/http/header-value.ts';

it.each([
  ['us-west1', 'us-west1'],
  ['two words', 'two words'],
  ['', ''],
  ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
  [' padded ', '=?base64?IHBhZGRlZCA=?='],
  ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
  ['a\tb', '=?base64?YQli?='],
  ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
])('%j is written as %j', (text, written) => {
  expect(headerValue(text)).toBe(written);
});

it('is safe, and read back unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const written = headerValue(text);
      expect(written).toMatch(/^[\x20-\x7E]*$/);
      expect(written).toBe(written.trim());
      const encoded = /^=\?base64\?(.*)\?=$/.exec(written)?.[1];
      expect(encoded === undefined ? written : Buffer.from(encoded, 'base64').toString('utf8')).toBe(Buffer.from(text).toString('utf8'));
    }),
  );
});
