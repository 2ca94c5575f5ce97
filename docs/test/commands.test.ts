/** Every `holdfast` command on a page exists, with the options that the page gives it. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { allPages, read, root } from './pages.ts';

const run = promisify(execFile);
const holdfast = join(root, 'apps/cli/bin/holdfast.mjs');

/** The record of what was, and pages about other programs. */
const outside = /^CHANGELOG\.md$|^docs\/decisions\//u;

interface Shown {
  readonly page: string;
  readonly command: string;
  readonly words: readonly string[];
}

/** In code: lines of blocks, and code between ticks. What follows a pipe, a redirection or a comment is of the shell. */
function commandsOn(page: string): readonly Shown[] {
  const text = read(page);
  const inline = [...text.replaceAll(/^```[\s\S]*?^```/gmu, '').matchAll(/`([^`\n]+)`/gu)].map(([, code = '']) => code);
  const lines = [...text.matchAll(/^(?:```[a-z]*\n([\s\S]*?)^```|((?: {4}.*\n)+))/gmu)].flatMap(([, fenced = '', indented = '']) =>
    (fenced + indented).replaceAll(/\\\n\s*/gu, ' ').split('\n'),
  );
  return [...inline, ...lines].flatMap((code) => {
    const [, rest] = /^(?:\$ |\s*)(?:npx |node_modules\/\.bin\/)?holdfast ((?:--?)?[a-z].*)$/u.exec(code) ?? [];
    const words =
      rest
        ?.replace(/\s[#|>&2].*$/u, '')
        .trim()
        .split(/\s+/u) ?? [];
    return words.length === 0 ? [] : [{ page, command: words[0] ?? '', words }];
  });
}

const shown = allPages.filter((page) => !outside.test(page)).flatMap(commandsOn);
const helpOf = async (...args: readonly string[]): Promise<string> =>
  (await run(process.execPath, [holdfast, ...args, '--help'], { env: { ...process.env, COLUMNS: '100' } })).stdout;
const help = new Map<string, string>();

beforeAll(async () => {
  const root = await helpOf();
  help.set('', root);
  const names = [...(root.split('Commands:')[1] ?? '').matchAll(/^ {2}([a-z][\w-]*)/gmu)].map(([, name = '']) => name);
  for (const name of names.filter((each) => each !== 'help')) {
    // oxlint-disable-next-line no-await-in-loop -- two cores
    help.set(name, await helpOf(name));
  }
}, 120_000);

test('is a command', () => {
  const unknown = shown.filter(({ command }) => !command.startsWith('-') && command !== 'help' && !help.has(command));
  expect(shown.length).toBeGreaterThan(100);
  expect(unknown.map(({ page, words }) => `${page}: holdfast ${words.join(' ')}`)).toEqual([]);
});

test('has options that the command has', () => {
  const wrong = shown.flatMap(({ page, command, words }) => {
    const text = help.get(command.startsWith('-') ? '' : command) ?? '';
    const options = words.flatMap((word) => /^(--?[a-z][\w-]*)(?:=.*)?$/iu.exec(word)?.slice(1, 2) ?? []);
    return options
      .filter((option) => !new RegExp(`(?:^|[\\s,])${option}(?=[\\s,]|$)`, 'mu').test(text))
      .map((option) => `${page}: holdfast ${words.join(' ')}: ${option}`);
  });
  expect(wrong).toEqual([]);
});
