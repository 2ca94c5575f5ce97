import { expect, test } from 'vitest';
import { readme } from '../src/report/readme.ts';

const machine = { node: 'v24.0.0', processor: 'one', cores: 2, memoryGb: 8, system: 'linux x64', date: '2026-01-02' };

test('the page shows for every target whether it was met', () => {
  const page = readme(
    [
      {
        name: 'success',
        title: 'A call',
        what: 'What was done.',
        tables: [{ columns: ['', 'median'], rows: [['bare', '1 ns']] }],
        targets: [
          { wanted: '≤ 1', seen: '0.5', met: true },
          { wanted: '≤ 2', seen: '3', met: false },
        ],
        notes: ['A note.'],
        figures: {},
      },
    ],
    machine,
  );
  expect(page).toContain('| A call | ≤ 1 | 0.5 | met |');
  expect(page).toContain('| A call | ≤ 2 | 3 | **not met** |');
  expect(page).toContain('| bare | 1 ns |');
  expect(page).toContain('Node v24.0.0, one, 2 cores');
});
