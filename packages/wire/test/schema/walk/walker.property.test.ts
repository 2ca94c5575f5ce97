/** The walker agrees with an independent validator on every schema and value, and never ends with more work than it may do. */
import { type Schema, type SchemaDraft, Validator } from '@cfworker/json-schema';
import type { JsonSchema } from '@holdfast/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleanFor } from '../../../src/schema/clean-schema.ts';
import { walkable } from '../../../src/schema/compile-schema.ts';
import { isExhausted, maxSteps } from '../../../src/schema/walk/budget.ts';
import { Walker } from '../../../src/schema/walk/walker.ts';

const name = fc.constantFrom('a', 'b', 'c', 'a/b');
const size = fc.integer({ min: 0, max: 3 });
const some = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<unknown> => fc.record(fields, { requiredKeys: [] });

const { schema } = fc.letrec<{ schema: unknown }>((tie) => {
  const inner = tie('schema');
  const list = fc.array(inner, { minLength: 1, maxLength: 3 });
  return {
    schema: fc.oneof(
      { maxDepth: 4 },
      fc.boolean(),
      some({ type: fc.constantFrom('string', 'number', 'integer', 'object', 'array', 'null', ['string', 'null']) }),
      some({ const: fc.constantFrom('a', 1, null, [1], { a: 1 }), enum: fc.constant(['a', 1, [1], { a: 1 }]) }),
      some({ minimum: size, exclusiveMaximum: size, multipleOf: fc.constantFrom(2, 0.1) }),
      some({ minLength: size, maxLength: size, pattern: fc.constantFrom('^a', 'b$'), format: fc.constantFrom('date', 'email') }),
      some({
        properties: fc.dictionary(name, inner, { maxKeys: 3 }),
        patternProperties: fc.dictionary(fc.constantFrom('^a', 'b'), inner, { maxKeys: 2 }),
        additionalProperties: inner,
        required: fc.subarray(['a', 'b']),
        propertyNames: inner,
        minProperties: size,
        maxProperties: size,
      }),
      some({ items: inner, prefixItems: list, minItems: size, maxItems: size, uniqueItems: fc.boolean() }),
      some({ contains: inner, minContains: size, maxContains: size }),
      some(Object.fromEntries(['not', 'if', 'then', 'else'].map((keyword) => [keyword, inner]))),
      some({ anyOf: list, allOf: list, oneOf: list }),
      some({
        dependentRequired: fc.dictionary(name, fc.subarray(['a', 'b']), { maxKeys: 2 }),
        dependentSchemas: fc.dictionary(name, inner, { maxKeys: 2 }),
        dependencies: fc.dictionary(name, inner, { maxKeys: 2 }),
      }),
      some({ unevaluatedProperties: inner, properties: fc.dictionary(name, inner, { maxKeys: 2 }), allOf: list, unevaluatedItems: inner }),
      fc.constant({ $ref: '#/$defs/x' }),
    ),
  };
});

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('a', 'ab', 'b', 'xyzz', 0, 1, 2, 0.3, 3, null, true),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'a/b', 'ab'), tie('value'), { maxKeys: 3 }),
  ),
}));

const drafts: Readonly<Record<string, string | undefined>> = { '2020-12': undefined, 7: 'http://json-schema.org/draft-07/schema#' };

/** Not all units are alike: the walker reports no names twice and no items that are irrelevant. */
const isComparable = (given: unknown): boolean => !/ontains|unevaluated/.test(JSON.stringify(given));

test('the same values are valid, with the same mismatches', () => {
  let exhausted = 0;
  fc.assert(
    fc.property(schema, schema, value, fc.constantFrom('2020-12', '7'), (own, referred, given, draft) => {
      const whole = typeof own === 'object' ? { ...own, $defs: { x: referred }, $schema: drafts[draft] } : own;
      const clean = (): unknown => cleanFor(whole, false).schema;
      let expected: ReturnType<Validator['validate']>;
      try {
        expected = new Validator(clean() as Schema, draft as SchemaDraft, false).validate(given);
      } catch {
        return; // A reference without an end.
      }
      const walked = walkable(clean() as JsonSchema, typeof whole === 'object' ? (whole as JsonSchema) : {});
      const walker = new Walker(walked, { left: maxSteps });
      let isValid: boolean;
      try {
        isValid = walker.start(given, walked.root);
      } catch (error) {
        // A schema that refers to itself in many places takes too many steps now and then.
        expect(isExhausted(error)).toBe(true);
        exhausted += 1;
        return;
      }
      expect(isValid).toBe(expected.valid);
      expect(new Walker(walked, { left: maxSteps }, true).start(given, walked.root)).toBe(expected.valid);
      const brief = (units: readonly { keyword: string; instanceLocation: string }[]): readonly string[] =>
        units.filter(({ keyword }) => keyword !== 'false').map(({ keyword, instanceLocation }) => `${keyword} ${instanceLocation}`);
      expect(isComparable(whole) ? brief(walker.units) : []).toEqual(isComparable(whole) ? brief(expected.errors) : []);
    }),
    { numRuns: 3_000 },
  );
  expect(exhausted).toBeLessThan(10);
});
