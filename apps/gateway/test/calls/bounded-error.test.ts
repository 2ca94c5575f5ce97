import { rpcError } from '@holdfast/mcp-wire/server';
import { expect, test } from 'vitest';
import { boundedError } from '../../src/calls/bounded-error.ts';

test('an error of usual size, and one that is not of the protocol, stay the same', () => {
  const own = new Error('x'.repeat(100_000));
  expect(boundedError(own)).toBe(own);
  const error = rpcError(-32_602, 'no', { field: 'city' });
  expect(boundedError(error)).toBe(error);
});

test('a long message is cut, and large data is left out', () => {
  expect(boundedError(rpcError(-32_000, 'x'.repeat(20_000), { a: 1 }))).toMatchObject({
    code: -32_000,
    message: `${'x'.repeat(16_384)}… [truncated, 20000 characters]`,
    data: { a: 1 },
  });
  const wide = boundedError(rpcError(-32_000, 'bad', Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`n${n}`, n]))));
  expect(wide).toMatchObject({ code: -32_000, message: 'bad [The data of the error is too large to be passed on.]' });
  expect(wide).not.toHaveProperty('data');
});
