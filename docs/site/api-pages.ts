/** Makes pages of the site from what TypeDoc printed: a title for each module, and several pages for a long one. */
import { posix } from 'node:path';
import { withLinks } from '../../tools/docs/citations.ts';
import { anchorsIn } from './dead-links.ts';
import { splitPage, type Part, type SplitPage } from '../../tools/docs/split-page.ts';

export interface ApiPage {
  readonly path: string;
  readonly text: string;
}

/** About fifteen screens. */
const longest = 36_000;

interface Symbol {
  readonly group: string;
  readonly name: string;
  readonly length: number;
}

/** `specification` is the path of that page, from the root of all paths. */
export function apiPages(printed: readonly ApiPage[], specification: string): readonly ApiPage[] {
  const split = new Map(printed.map((page) => [page.path, splitModule(page)]));
  const pages = [...split.values()].flat().map(({ path, text }) => ({ path, text: moveAcross(text, path, split) }));
  const anchors = new Map(pages.map(({ path, text }) => [path, anchorsIn(text) ?? new Set<string>()]));
  return pages.map(({ path, text }) => ({ path, text: cited(withKnownAnchors(text, path, anchors), path, specification) }));
}

/** TypeDoc counts headings of one name in the whole module, and as it would write them. Where its number leads nowhere, the first one is meant, else the symbol of the link before. */
function withKnownAnchors(text: string, from: string, anchors: ReadonlyMap<string, ReadonlySet<string>>): string {
  const isKnown = (file: string, anchor: string): boolean =>
    anchors.get(file === '' ? from : posix.join(posix.dirname(from), file))?.has(anchor) !== false;
  return text.replaceAll(/\]\(([^)#\s:]*)#([^)\s]+)-\d+\)/gu, (whole, file: string, anchor: string, at: number) => {
    if (isKnown(file, whole.slice(whole.indexOf('#') + 1, -1))) return whole;
    if (isKnown(file, anchor)) return `](${file}#${anchor})`;
    const owner = /.*(\]\([^)\s:]*#[^)\s]+\))/u.exec(text.slice(text.lastIndexOf('\n', at) + 1, at));
    return owner?.[1] ?? `](${file})`;
  });
}

function splitModule({ path, text }: ApiPage): readonly SplitPage[] {
  if (text.length <= longest) return [{ path, text, anchors: new Set() }];
  const title = /^# (.+)$/mu.exec(text)?.[1] ?? path;
  return splitPage(
    path,
    text,
    chunksOf(symbolsOf(text)).map((chunk, index) => partOf(chunk, index, title)),
  );
}

function symbolsOf(text: string): readonly Symbol[] {
  const symbols: { group: string; name: string; length: number }[] = [];
  let group = '';
  for (const line of text.split('\n')) {
    const [, marks = '', name = ''] = /^(#{2,3}) (.+)$/u.exec(line) ?? [];
    if (marks === '##') group = name;
    if (marks === '###') symbols.push({ group, name, length: 0 });
    const last = symbols.at(-1);
    if (last) last.length += line.length + 1;
  }
  return symbols;
}

/** In order, each as long as a page may be; a group starts a page unless the page before has room for all of it. */
function chunksOf(symbols: readonly Symbol[]): readonly (readonly Symbol[])[] {
  const chunks: Symbol[][] = [];
  let length = 0;
  for (const symbol of symbols) {
    const chunk = chunks.at(-1);
    const isNewGroup = chunk?.at(-1)?.group !== symbol.group;
    const ahead = isNewGroup
      ? symbols.filter(({ group }) => group === symbol.group).reduce((sum, each) => sum + each.length, 0)
      : symbol.length;
    if (chunk === undefined || length + Math.min(ahead, longest) > longest) {
      chunks.push([symbol]);
      length = symbol.length;
    } else {
      chunk.push(symbol);
      length += symbol.length;
    }
  }
  return chunks;
}

function partOf(chunk: readonly Symbol[], index: number, title: string): Part {
  const groups = [...new Set(chunk.map(({ group }) => group.toLowerCase()))];
  const plain = (name: string | undefined): string => (name ?? '').replaceAll(/[\\()]|<.*/gu, '');
  const range = groups.length === 1 ? ` ${plain(chunk[0]?.name)} to ${plain(chunk.at(-1)?.name)}` : '';
  return {
    file: String(index + 1),
    title: `${title}: ${groups.join(', ')}${range}`,
    about: `${chunk.map(({ name }) => `\`${plain(name)}\``).join(', ')}.`,
    sections: chunk.map(({ group, name }) => `${group}/${name}`),
  };
}

/** Links of other modules lead to the page that has the symbol now. */
const moveAcross = (text: string, from: string, split: ReadonlyMap<string, readonly SplitPage[]>): string =>
  text.replaceAll(/\]\(([^)#\s:]+\.md)#([^)]+)\)/gu, (whole, file: string, anchor: string) => {
    const pages = split.get(posix.join(posix.dirname(from), file)) ?? [];
    const target = pages.length > 1 ? pages.find(({ anchors }) => anchors.has(anchor)) : undefined;
    return target === undefined ? whole : `](${posix.relative(posix.dirname(from), target.path)}#${anchor})`;
  });

const cited = (text: string, from: string, specification: string): string =>
  withLinks(text).replaceAll('](../specification.md#', `](${posix.relative(posix.dirname(from), specification)}#`);
