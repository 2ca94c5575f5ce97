/** Settings to try on a recorded turn: read as in a manifest, refused with field, value and fix. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseChanges } from '../src/index.ts';

const tools = ['search', 'weather'];
const problemsOf = (text: string) => parseChanges(text, { tools }).problems;

test('reads settings of every tool, of one tool and of the turn', () => {
  const text = JSON.stringify({
    policy: { timeout_ms: 500, circuit_breaker: false, fallback: null },
    tools: { search: { retry_policy: { max_attempts: 5, jitter: 'none' }, alternatives: ['weather'] } },
    turn: { timeout_ms: null, on_deadline: 'abort' },
  });
  expect(parseChanges(text, { tools }).changes).toEqual({
    policy: { timeoutMs: 500, breaker: false, fallback: { value: null } },
    tools: { search: { retry: { maxAttempts: 5, jitter: 'none' }, alternatives: ['weather'] } },
    turn: { timeoutMs: null, onDeadline: 'abort' },
  });
});

test('accepts YAML, and an empty file', () => {
  expect(parseChanges('tools:\n  search: { timeout_ms: infinity }\n').problems).not.toEqual([]);
  expect(parseChanges('tools:\n  search: { timeout_ms: .inf }\n', { tools }).changes).toEqual({
    tools: { search: { timeoutMs: Infinity } },
  });
  expect(parseChanges('{}').changes).toEqual({});
});

describe('refuses, with the position and what is allowed:', () => {
  test.each([
    ['{"polcy": {}}', { code: 'unknown_key', path: 'polcy', suggestion: 'policy' }],
    ['{"policy": {"retry_policy": {"max_attempts": 0}}}', { code: 'out_of_range', path: 'policy.retry_policy.max_attempts' }],
    ['{"policy": {"timeout_ms": "5s"}}', { path: 'policy.timeout_ms' }],
    ['{"policy": {"timeoutMs": 5}}', { code: 'unknown_key', path: 'policy.timeoutMs', suggestion: 'timeout_ms' }],
    ['{"tools": {"serach": {}}}', { code: 'unknown_tool', path: 'tools.serach', suggestion: 'search', allowed: 'search, weather' }],
    ['{"tools": {"search": {"alternatives": ["wether"]}}}', { path: 'tools.search.alternatives[0]', suggestion: 'weather' }],
    ['{"turn": {"on_deadline": "stop"}}', { code: 'not_allowed', path: 'turn.on_deadline', allowed: "one of 'detach', 'abort'" }],
    [
      '{"policy": {"circuit_breaker": {"rate": {"window_ms": 1, "minimum_calls": 1}}}}',
      { path: 'policy.circuit_breaker.rate.failure_rate' },
    ],
    ['[]', { path: '' }],
    ['{"tools": ["search"]}', { code: 'wrong_type', path: 'tools' }],
  ])('%s', (text, expected) => {
    expect(parseChanges(text, { tools }).changes).toBeUndefined();
    expect(problemsOf(text)).toMatchObject([expected]);
  });

  test('all problems at once', () => {
    expect(problemsOf('{"policy": {"x": 1}, "tools": {"none": {"timeout_ms": -1}}, "turn": {"concurrency": 0}}')).toHaveLength(4);
  });
});

test('substitutes no environment variables', () => {
  expect(parseChanges('{"policy": {"fallback": "${env:HOME}"}}').changes).toEqual({ policy: { fallback: { value: '${env:HOME}' } } });
});

test('never throws, for any text', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const { changes, problems } = parseChanges(text, { tools });
      expect(changes !== undefined || problems.length > 0).toBe(true);
    }),
    { numRuns: 300 },
  );
});
