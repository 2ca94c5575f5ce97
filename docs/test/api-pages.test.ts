/** What TypeDoc prints becomes pages of a readable length, and links between modules follow the symbols. */
import { expect, test } from 'vitest';
import { apiPages } from '../site/api-pages.ts';
import { deadLinks } from '../site/dead-links.ts';

const symbol = (name: string): string => `### ${name}\n\n${'words '.repeat(2_000)}\n\nSee [other](small.md#other).`;
const long = `# @holdfast/long\n\n## Functions\n\n${['alpha', 'beta', 'gamma'].map(symbol).join('\n\n')}\n\n## Variables\n\n${symbol('delta')}`;
const small = '# @holdfast/small\n\n### other\n\n[gamma](long.md#gamma), as in docs/specification.md#s0-6-1';

const pages = apiPages(
  [
    { path: 'api/long.md', text: long },
    { path: 'api/small.md', text: small },
  ],
  'docs/specification.md',
);

test('a long module has an index and pages, a short one stays', () => {
  expect(pages.map(({ path }) => path)).toEqual(['api/long.md', 'api/long/1.md', 'api/long/2.md', 'api/small.md']);
  expect(pages[0]?.text).toContain('| [@holdfast/long: functions alpha to beta](long/1.md) | `alpha`, `beta`. |');
  expect(pages[2]?.text).toMatch(/^# @holdfast\/long: functions, variables\n/u);
  for (const { text } of pages) expect(text.length).toBeLessThan(40_000);
});

test('links lead to the page that has the symbol', () => {
  expect(pages.at(-1)?.text).toContain('[gamma](long/2.md#gamma)');
  expect(pages[1]?.text).toContain('See [other](../small.md#other).');
});

test('citations of the specification are links', () => {
  expect(pages.at(-1)?.text).toContain('[S0 6.1](../docs/specification.md#s0-6-1)');
});

test('numbers of headings that TypeDoc counted otherwise lead to the first one, or to the symbol before', () => {
  const [one, two] = apiPages(
    [
      {
        path: 'api/one.md',
        text: '# one\n\n[Store](two.md#store).[append](two.md#append-3), [Store](two.md#store-1), [close](two.md#close-1)',
      },
      { path: 'api/two.md', text: '# two\n\n## Store\n\n### close()\n\n## Other\n\n### close()' },
    ],
    'docs/specification.md',
  );
  expect(one?.text).toContain('[Store](two.md#store).[append](two.md#store), [Store](two.md#store), [close](two.md#close-1)');
  expect(two?.text).toContain('## Store');
});

test('dead links are found: to pages, to headings, within a page; code and other addresses are not read', () => {
  const page = [
    '# One',
    '[a](two.md) [b](two.md#two) [c](two.md#two-1) [d](#one) [e](<https://example.com/x.md>) [f](https://example.com/y.md)',
    '`[g](three.md)`',
    '```md\n[h](three.md)\n```',
    '[i](three.md) [j](two.md#three) [k](#two) [l](../docs/x.md#known) [m](../docs/x.md#unknown)',
  ].join('\n\n');
  const pages = [
    { path: 'api/one.md', text: page },
    { path: 'api/two.md', text: '# Two\n\n## Two' },
  ];
  expect(deadLinks(pages, (path) => (path === 'docs/x.md' ? '# X\n\n<a id="known"></a>' : undefined))).toEqual([
    'api/one.md: three.md leads to no page',
    'api/one.md: two.md#three leads to no heading',
    'api/one.md: #two leads to no heading',
    'api/one.md: ../docs/x.md#unknown leads to no heading',
  ]);
});
