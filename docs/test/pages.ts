/** Owns finding the pages of the documentation, and the parts of a page. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root: string = join(import.meta.dirname, '../..');

export const read = (path: string): string => readFileSync(join(root, path), 'utf8');

export const conceptPages: readonly string[] = globSync('docs/concepts/*.md', { cwd: root })
  .filter((path) => !path.endsWith('glossary.md'))
  .toSorted();

/** Every page a user may read, generated ones and those of other people included. */
export const allPages: readonly string[] = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CODE_OF_CONDUCT.md',
  ...globSync(
    [
      'docs/**/*.md',
      'packages/*/README.md',
      'packages/stores/*/README.md',
      'packages/adapters/*/README.md',
      'apps/*/README.md',
      'examples/*/README.md',
    ],
    {
      cwd: root,
      exclude: (path) => path.includes('node_modules'),
    },
  ),
].toSorted();

export interface Fence {
  readonly page: string;
  readonly line: number;
  /** What stands behind the three ticks: `ts`, `ts compile`, `yaml` … */
  readonly info: string;
  readonly text: string;
}

export function fencesOf(page: string): readonly Fence[] {
  const fences: Fence[] = [];
  let open: { readonly line: number; readonly info: string; readonly lines: string[] } | undefined;
  for (const [index, line] of read(page).split('\n').entries()) {
    if (open && line.startsWith('```')) {
      fences.push({ page, line: open.line, info: open.info, text: open.lines.join('\n') });
      open = undefined;
    } else if (open) open.lines.push(line);
    else if (line.startsWith('```')) open = { line: index + 1, info: line.slice(3).trim(), lines: [] };
  }
  return fences;
}

/** The cells of every table row of a section, code ticks kept. */
export function rowsOf(page: string, section: string): readonly (readonly string[])[] {
  const body =
    read(page)
      .split(/^## /m)
      .find((part) => part.startsWith(`${section}\n`)) ?? '';
  return body
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|[\s|:-]+\|$/.test(line))
    .slice(1)
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

export const headingsOf = (page: string): readonly string[] => [...read(page).matchAll(/^## (.+)$/gm)].map(([, title]) => title ?? '');

/** The text between code ticks at the beginning of a cell. */
export const coded = (cell: string | undefined): string | undefined => /^\[?`([^`]+)`/.exec(cell ?? '')?.[1];
