import { readFileSync } from 'node:fs';
import type { JsonSchema } from '@holdfast/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { completionAt } from '../../src/editor/completion.ts';

const read = (name: string): JsonSchema =>
  JSON.parse(readFileSync(new URL(`../../../../packages/manifest/schema/${name}.schema.json`, import.meta.url), 'utf8')) as JsonSchema;
const policy = read('policy');
const world = read('world');

/** The cursor is at `|`. */
const suggest = (text: string, schema: JsonSchema = policy): readonly string[] => {
  const cursor = text.indexOf('|');
  return completionAt(text.replace('|', ''), cursor, schema).suggestions.map((each) => each.text.trim());
};

test('suggests the keys of the place', () => {
  expect(suggest('|')).toEqual(expect.arrayContaining(['profile:', 'defaults:', 'tools:', 'recovery_rules:']));
  expect(suggest('de|')).toEqual(['defaults:']);
  expect(suggest('defaults:\n  ret|')).toEqual(expect.arrayContaining(['retry_policy:', 'retry_budget:']));
  expect(suggest('defaults:\n  timeout_ms: 5\n  retry_policy:\n    max|')).toEqual(
    expect.arrayContaining(['max_attempts:', 'max_delay_ms:']),
  );
  expect(suggest('defaults:\n  retry_policy:\n    max_attempts: 2\n  brea|circuit')).toEqual([]);
});

test('suggests the keys of a list’s items', () => {
  const items = expect.arrayContaining(['id:', 'timeout_ms:']) as unknown;
  expect(suggest('tools:\n  - |')).toEqual(items);
  expect(suggest('tools:\n  - id: search\n    |')).toEqual(items);
  expect(suggest('tools:\n  - id: search\n    retry_policy:\n      max_a|')).toEqual(['max_attempts:']);
  expect(suggest('agents:\n  - count: 1\n    turn:\n      - tool|', world)).toEqual(['tool_id:']);
});

test('suggests the values of a key', () => {
  expect(suggest('profile: |')).toEqual(['spec', 'service', 'adaptive']);
  expect(suggest('profile: ad|')).toEqual(['adaptive']);
  expect(suggest('faults:\n  - service: a\n    kind: black|', world)).toEqual(['black_hole']);
});

test('never throws', () => {
  const piece = fc.constantFrom('\n', '  ', '- ', 'tools', ':', ' ', 'id', 'defaults:', '#', '"', '[', '{', 'x');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.nat(100), (pieces, at) => {
      const text = pieces.join('');
      expect(Array.isArray(completionAt(text, Math.min(at, text.length), policy).suggestions)).toBe(true);
    }),
  );
});
