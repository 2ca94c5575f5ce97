import { describe, expect, it } from 'vitest';
import { hasSchemaIds, leadsToSchema, pointerSteps } from '../../../src/engine/plain/json-pointer.ts';

describe('a JSON pointer', () => {
  it.each([
    ['#', []],
    ['', []],
    ['#/a/b', ['a', 'b']],
    ['/a/0', ['a', '0']],
    ['#/a~1b/c~0d', ['a/b', 'c~d']],
    ['#/a%20b', ['a b']],
    ['#/100%', ['100%']],
  ])('%j has its steps', (pointer, steps) => {
    expect(pointerSteps(pointer)).toEqual(steps);
  });

  const root = { $defs: { a: { type: 'string' }, yes: true, list: [{}], text: 'x' } };

  it.each([
    ['#', true],
    ['#/$defs/a', true],
    ['#/$defs/yes', true],
    ['#/$defs/list/0', true],
    ['#/$defs/list', false],
    ['#/$defs/text', false],
    ['#/$defs/none', false],
    ['#/$defs/constructor', false],
    ['#anchor', false],
    ['other.json', false],
  ])('%j leads to a schema: %s', (pointer, leads) => {
    expect(leadsToSchema(pointer, root)).toBe(leads);
  });

  it('is resolved by a validator where there are ids', () => {
    expect(hasSchemaIds(root, 8)).toBe(false);
    expect(hasSchemaIds({ $defs: { a: { $id: 'a' } } }, 8)).toBe(true);
    expect(hasSchemaIds({ $defs: { a: { $id: 'a' } } }, 1)).toBe(false);
    expect(hasSchemaIds({ properties: { $id: { type: 'string' } } }, 8)).toBe(false);
  });
});
