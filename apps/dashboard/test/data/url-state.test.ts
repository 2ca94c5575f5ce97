import { describe, expect, test } from 'vitest';
import { readState, writeState } from '../../src/data/url-state.ts';

const shape = { q: '', sort: ['urgency', 'name'], page: 1, down: false } as const;

describe('readState', () => {
  test('a URL without parameters gives the defaults', () => {
    expect(readState(shape, '')).toEqual({ q: '', sort: 'urgency', page: 1, down: false });
  });

  test('reads strings, choices, numbers and flags', () => {
    expect(readState(shape, '?q=a%26b&sort=name&page=3&down=1')).toEqual({ q: 'a&b', sort: 'name', page: 3, down: true });
  });

  test('an invalid value gives the default', () => {
    expect(readState(shape, '?sort=best&page=many&down=perhaps')).toEqual({ q: '', sort: 'urgency', page: 1, down: false });
    expect(readState(shape, '?page=').page).toBe(1);
    expect(readState(shape, '?page=Infinity').page).toBe(1);
  });
});

describe('writeState', () => {
  test('omits defaults and keeps other parameters', () => {
    expect(writeState(shape, '?q=x&other=7', { q: '', sort: 'name' })).toBe('?other=7&sort=name');
    expect(writeState(shape, '?sort=name', { sort: 'urgency' })).toBe('');
  });

  test('round-trips', () => {
    const state = { q: 'ä&=%2F #?', sort: 'name', page: 12, down: true } as const;
    expect(readState(shape, writeState(shape, '', state))).toEqual(state);
  });
});
