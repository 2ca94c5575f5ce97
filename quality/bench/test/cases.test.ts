import { expect, test } from 'vitest';
import { cases } from '../src/cases/index.ts';
import { contenders } from '../src/contenders/index.ts';
import type { Effort } from '../src/timing/race.ts';

const effort: Effort = { rounds: 1, samples: 1, sampleMs: 0.1, warmUpMs: 1, counts: 'p50' };

test('cases have unique names', () => {
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
});

// The other cases take long even with few samples, or start processes.
const brief = ['success', 'one-retry', 'turn', 'schema', 'parallel', 'many-tools', 'classification'];

test.each(cases.filter(({ name }) => brief.includes(name)))('$name runs and returns a complete report', async ({ name, run }) => {
  const report = await run({ quick: true, effort, only: [] });
  expect(report.name).toBe(name);
  expect(report.tables.length).toBeGreaterThan(0);
  for (const { columns, rows } of report.tables) {
    expect(rows.length).toBeGreaterThan(0);
    for (const cells of rows) {
      expect(cells).toHaveLength(columns.length);
      expect(cells.join(' ')).not.toContain('NaN');
    }
  }
});

test('a case of contenders times all of them, or the selected ones', async () => {
  const success = cases.find(({ name }) => name === 'success');
  const namesOf = async (only: readonly string[]): Promise<readonly (string | undefined)[]> => {
    const report = await success?.run({ quick: true, effort, only });
    return (report?.tables[0]?.rows ?? []).map(([name]) => name);
  };
  expect(await namesOf([])).toEqual(contenders.map(({ name }) => name));
  expect(await namesOf(['holdfast', 'cockatiel'])).toEqual(['Holdfast', 'Holdfast, memory store', 'cockatiel 4']);
});
