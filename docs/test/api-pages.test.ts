/** What TypeDoc prints becomes pages of a readable length, and links between modules follow the symbols. */
import { expect, test } from 'vitest';
import { apiPages } from '../site/api-pages.ts';

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
