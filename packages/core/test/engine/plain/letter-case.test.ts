import { expect, test } from 'vitest';
import { camelCase, snakeCase } from '../../../src/engine/plain/letter-case.ts';

test.each([
  ['max_attempts', 'maxAttempts'],
  ['retry_after_ms', 'retryAfterMs'],
  ['timeout', 'timeout'],
  ['', ''],
])('%s ↔ %s', (snake, camel) => {
  expect(camelCase(snake)).toBe(camel);
  expect(snakeCase(camel)).toBe(snake);
});

test('a digit begins a word only in snake_case', () => {
  expect(camelCase('p_95_ms')).toBe('p95Ms');
  expect(snakeCase('p95Ms')).toBe('p95_ms');
});

test('names of the other case are unchanged', () => {
  expect(camelCase('maxAttempts')).toBe('maxAttempts');
  expect(snakeCase('max_attempts')).toBe('max_attempts');
});
