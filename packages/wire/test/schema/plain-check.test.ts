/** What is recognized as matching a schema matches it for the walker too. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleanFor } from '../../src/schema/clean-schema.ts';
import { walkable } from '../../src/schema/compile-schema.ts';
import { plainCheckOf } from '../../src/schema/plain-check.ts';
import { maxSteps } from '../../src/schema/walk/budget.ts';
import { Walker } from '../../src/schema/walk/walker.ts';

const name = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');
const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const;
const { schema } = fc.letrec<{ schema: Readonly<Record<string, unknown>> }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.record(
      { type: fc.constantFrom('string', 'number', 'integer', 'boolean'), description: fc.constant('d') },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      { type: fc.constantFrom(...types, ['string', 'null']), enum: fc.constantFrom(['x', 'y'], ['x', 1], []) },
      { requiredKeys: [] },
    ),
    fc.record({ type: fc.constant('array'), items: tie('schema'), minItems: fc.nat(2) }, { requiredKeys: ['type', 'items'] }),
    fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(name, tie('schema'), { maxKeys: 3 }),
        required: fc.subarray(['a', 'b', '__proto__']),
        additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
        anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
      },
      { requiredKeys: ['type', 'properties'] },
    ),
  ),
}));
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>('x', 'z', 0, 1.5, NaN, Infinity, true, null),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  ),
}));

test('the walker agrees', () => {
  let recognized = 0;
  fc.assert(
    fc.property(schema, value, fc.constantFrom(undefined, 'http://json-schema.org/draft-07/schema#'), (own, given, dialect) => {
      const whole = dialect === undefined ? own : { ...own, $schema: dialect };
      const { schema: root } = cleanFor(whole, false);
      if (plainCheckOf(root)?.(given) !== true) return;
      recognized += 1;
      expect(new Walker(walkable(root, whole), { left: maxSteps }).start(given, root)).toBe(true);
    }),
    { numRuns: 8000 },
  );
  // Otherwise nothing was compared.
  expect(recognized).toBeGreaterThan(200);
});

test.each([
  [{ type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false }, { city: 'Oslo' }, true],
  [
    { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false },
    { city: 'Oslo', b: 1 },
    false,
  ],
  [{ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }, { b: 1 }, false],
  [{ type: 'array', items: { type: 'integer' } }, [1, 2], true],
  [{ type: 'array', items: { type: 'integer' } }, [1, 2.5], false],
  [{ type: 'string', enum: ['a'] }, 'b', false],
  [{ type: 'string', minLength: 1 }, 'b', undefined],
  [{ $ref: '#/$defs/x' }, 'b', undefined],
])('%j with %j: %s', (own, given, expected) => {
  expect(plainCheckOf(own)?.(given)).toBe(expected);
});
