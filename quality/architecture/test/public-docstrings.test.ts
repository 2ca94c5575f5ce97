/** Every public name and member has a docstring: API Extractor marks those without one in the reports under `api/`. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const reports = globSync('api/*.api.md', { cwd: root });

test('there are reports to read', () => {
  expect(reports.length).toBeGreaterThan(40);
});

test.each(reports)('%s has no undocumented name', (path) => {
  const lines = readFileSync(join(root, path), 'utf8').split('\n');
  const undocumented = lines.flatMap((line, index) => (line.includes('(undocumented)') ? [lines[index + 1]?.trim()] : []));
  expect(undocumented).toEqual([]);
});
