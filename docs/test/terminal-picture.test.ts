/** The picture of a terminal keeps its columns, colours and characters. */
import { expect, test } from 'vitest';
import { drawTerminal, themes } from '../../tools/docs/terminal-picture.ts';
import { read } from './pages.ts';

const escape = '\u001B';

test('a piece of text has its column, its colour and its length', () => {
  const line = ` ${escape}[32m✔${escape}[39m ${escape}[1ma <b>${escape}[22m   ${escape}[2mdim${escape}[22m`;
  const texts = [
    ...drawTerminal(line, themes.light, 20).matchAll(/<text x="([\d.]+)" .*textLength="([\d.]+)".*fill="([^"]+)"(.*)>(.*)<\/text>/gu),
  ];
  const { text, dim, colors } = themes.light;
  expect(texts.map(([, ...parts]) => parts)).toEqual([
    ['24.4', '8.4', colors[32], '', '✔'],
    ['41.2', '42.0', text, ' font-weight="600"', 'a &lt;b&gt;'],
    ['108.4', '25.2', dim, '', 'dim'],
  ]);
});

test('the pictures of the README show a retry, a timeout, a backup, a skipped call and a default', () => {
  for (const theme of ['light', 'dark']) {
    const picture = read(`docs/images/waterfall-${theme}.svg`);
    for (const words of ['503 ×5', 'timeout ×2', 'flight_search_backup', 'skipped: needs', 'uses the default', 'circuit opened'])
      expect(picture, theme).toContain(words);
  }
});
