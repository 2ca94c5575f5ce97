import { expect, test } from 'vitest';
import { readSafely } from '../../../src/engine/plain/read-safely.ts';

test('a value that throws when it is read becomes a placeholder', () => {
  expect(readSafely(() => 7)).toBe(7);
  const value = {
    get secret(): never {
      throw new Error('no');
    },
  };
  expect(readSafely(() => value.secret)).toBe('[unreadable]');
});
