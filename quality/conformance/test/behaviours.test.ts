/** Every cell is run again: Holdfast passes all, and every library matches the committed results, word for word. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { behaviours } from '../src/behaviours/index.ts';
import { contenders } from '../src/contenders/index.ts';
import { resultsPath } from '../src/pages.ts';
import { root, runCell } from '../src/run.ts';
import type { Results } from '../src/run.ts';

const results = JSON.parse(readFileSync(join(root, resultsPath), 'utf8')) as Results;

test('there are 24 behaviours and six libraries, and a result for every pair', () => {
  expect(behaviours.map(({ id }) => id)).toEqual(Array.from({ length: 24 }, (_, index) => `B${index + 1}`));
  expect(Object.keys(results)).toEqual(behaviours.map(({ id }) => id));
  const names = contenders.map(({ name }) => name);
  expect(names).toHaveLength(6);
  for (const row of Object.values(results)) expect(Object.keys(row)).toEqual(names);
});

test('Holdfast passes all behaviours in the committed results', () => {
  expect(behaviours.filter(({ id }) => results[id]?.['holdfast']?.verdict !== 'pass')).toEqual([]);
});

describe.concurrent.each(contenders)('$title', (notes) => {
  test.each(behaviours)(
    '$id: $title',
    async (behaviour) => {
      const cell = await runCell(behaviour, notes);
      expect(cell).toEqual(results[behaviour.id]?.[notes.name]);
    },
    300_000,
  );
});
