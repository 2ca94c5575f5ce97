/** The table of planted faults does not rot: every fault can be planted, and every condition has one. `npm run faults` plants them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { faults } from './faults/faults.ts';
import { planted } from './faults/working-copy.ts';

const root = join(import.meta.dirname, '../..');
const conditions = JSON.parse(readFileSync(join(import.meta.dirname, 'conditions.json'), 'utf8')) as readonly { readonly id: string }[];
const known = conditions.map(({ id }) => id);

describe('planted faults', () => {
  test.each(faults.map((fault) => [fault.what, fault] as const))('%s: can be planted', (_, fault) => {
    const source = readFileSync(join(root, fault.file), 'utf8');
    expect(planted(source, fault)).not.toBe(source);
  });

  test('each has a name of its own and breaks conditions that exist', () => {
    expect(new Set(faults.map(({ what }) => what)).size).toBe(faults.length);
    expect(faults.flatMap(({ conditions: broken }) => broken.filter((id) => !known.includes(id)))).toEqual([]);
  });

  test('every condition has one', () => {
    const broken = new Set(faults.flatMap((fault) => fault.conditions));
    expect(known.filter((id) => !broken.has(id))).toEqual([]);
  });
});
