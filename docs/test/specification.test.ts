/** Every citation of a condition leads to it: the code names an anchor of `docs/specification.md`, and the anchor exists. */
import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { anchorsIn, citedIn } from '../../tools/docs/citations.ts';
import { allPages, read, root } from './pages.ts';

const sources = globSync(
  [
    'packages/*/{src,test}/**/*.{ts,tsx}',
    'packages/*/*/{src,test}/**/*.{ts,tsx}',
    'apps/*/{src,test}/**/*.{ts,tsx}',
    'tools/docs/option-groups.ts',
  ],
  {
    cwd: root,
    exclude: (path) => path.includes('node_modules'),
  },
);
const anchors = anchorsIn(read('docs/specification.md'));

test('the specification has an anchor for each numbered condition of the ledger', () => {
  const conditions = JSON.parse(read('quality/acceptance/conditions.json')) as readonly { readonly id: string }[];
  const numbered = conditions.filter(({ id }) => /^S1-\d\.\d$/.test(id));
  const missing = numbered.map(({ id }) => id.toLowerCase().replaceAll('.', '-')).filter((id) => !anchors.has(id));
  expect(numbered).toHaveLength(33);
  expect(missing).toEqual([]);
});

test('no anchor is there twice', () => {
  expect(anchors.size).toBe([...read('docs/specification.md').matchAll(/<a id=/g)].length);
});

test('what the code and the pages cite exists', () => {
  const cited = [...sources, ...allPages].flatMap((path) => citedIn(read(path)).map((anchor) => ({ path, anchor })));
  expect(cited.length).toBeGreaterThan(100);
  expect(cited.filter(({ anchor }) => !anchors.has(anchor))).toEqual([]);
});

test('the code cites by the anchor, never by the bare number', () => {
  const bare = sources.filter((path) => /\bS[0-4](?: \d|'s\b|\))/.test(read(path)));
  expect(bare).toEqual([]);
});
