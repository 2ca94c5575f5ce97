/** Splits a long printed page into an index and one page per subject. Links between the parts and to other pages stay right. */
import { posix } from 'node:path';
import { table } from './page.ts';

export interface Part {
  /** Name of the file, without `.md`, in a folder that has the name of the page. */
  readonly file: string;
  readonly title: string;
  /** What the index says about it. */
  readonly about: string;
  /** Its sections: `Service`, or `holdfast.yaml/store` for a part of a section. A section includes its parts unless another page has them. */
  readonly sections: readonly string[];
}

export interface SplitPage {
  readonly path: string;
  readonly text: string;
  /** The anchors of its sections. */
  readonly anchors: ReadonlySet<string>;
}

interface Block {
  /** `Service`, or `holdfast.yaml/store`. */
  readonly id: string;
  readonly level: 2 | 3;
  readonly title: string;
  readonly lines: readonly string[];
}

interface Split {
  readonly intro: string;
  readonly blocks: readonly Block[];
}

export const pathOfPart = (path: string, { file }: Part): string => `${path.replace(/\.md$/u, '')}/${file}.md`;

/** The anchor that a code host and the site give to a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/gu, '-');

/** Of headings, those within it included, and explicit ones. */
const anchorsOf = ({ title, lines }: Block): readonly string[] => [
  anchorOf(title),
  ...lines.flatMap((line) => [...line.matchAll(/<a id="([^"]+)">/gu)].map(([, id = '']) => id)),
  ...lines.flatMap((line) => /^#{4,} (.+)$/u.exec(line)?.slice(1, 2).map(anchorOf) ?? []),
];

/** The index first, then the parts. Sections that no part names stay on the index. */
export function splitPage(path: string, text: string, parts: readonly Part[]): readonly SplitPage[] {
  const { intro, blocks } = read(text);
  for (const section of parts.flatMap(({ sections }) => sections))
    if (!blocks.some(({ id }) => id === section)) throw new Error(`${path} has no section '${section}'.`);
  const owners = new Map(blocks.map((block) => [block, parts.find(({ sections }) => owns(sections, block, parts))]));
  const pages = [undefined, ...parts].map((part) => {
    const own = withoutEmpty(
      blocks.filter((block) => owners.get(block) === part),
      blocks,
    );
    return { part, path: part ? pathOfPart(path, part) : path, blocks: own, anchors: new Set(own.flatMap(anchorsOf)) };
  });
  const target = (anchor: string, from: string): string => {
    const having = pages.filter((page) => page.anchors.has(anchor));
    const page = having.find((each) => each.path === from) ?? having[0];
    return page === undefined || page.path === from ? `#${anchor}` : `${relativePath(from, page.path)}#${anchor}`;
  };
  const list = table(
    ['Page', 'Contents'],
    parts.map((part) => [`[${part.title}](${relativePath(path, pathOfPart(path, part))})`, part.about]),
  );
  return pages.map((page) => {
    const place = { from: path, to: page.path, target };
    const head = page.part
      ? [`# ${page.part.title}`, `${page.part.about} Part of [${titleOf(intro)}](${relativePath(page.path, path)}).`]
      : [moveLinks(intro, place), '## Pages', list];
    return {
      path: page.path,
      anchors: page.anchors,
      text: [...head, ...page.blocks.map((block) => moveLinks(print(block, page.blocks), place))].join('\n\n'),
    };
  });
}

const titleOf = (intro: string): string => /^# (.+)$/mu.exec(intro)?.[1] ?? '';

/** Without headings that have nothing but parts, which are all on other pages. */
const withoutEmpty = (own: readonly Block[], all: readonly Block[]): readonly Block[] =>
  own.filter(({ id, lines }) => {
    const hasPart = (blocks: readonly Block[]): boolean => blocks.some((other) => other.id.startsWith(`${id}/`));
    return lines.join('').trim() !== '' || hasPart(own) || !hasPart(all);
  });

function owns(sections: readonly string[], { id }: Block, parts: readonly Part[]): boolean {
  if (sections.includes(id)) return true;
  const [outer = ''] = id.split('/');
  return sections.includes(outer) && !parts.some((part) => part.sections.includes(id));
}

/** A section whose parent is on another page moves up a level. */
function print({ id, level, title, lines }: Block, siblings: readonly Block[]): string {
  const [outer = ''] = id.split('/');
  const depth = level === 3 && !siblings.some((other) => other.id === outer) ? 2 : level;
  return [`${'#'.repeat(depth)} ${title}`, ...lines].join('\n').trimEnd();
}

function read(text: string): Split {
  const blocks: { id: string; level: 2 | 3; title: string; lines: string[] }[] = [];
  const intro: string[] = [];
  let section = '';
  for (const line of text.trim().split('\n')) {
    const [, marks = '', title = ''] = /^(#{2,3}) (.+)$/u.exec(line) ?? [];
    if (marks === '##') section = title;
    if (marks === '') (blocks.at(-1)?.lines ?? intro).push(line);
    else blocks.push({ id: marks === '##' ? title : `${section}/${title}`, level: marks === '##' ? 2 : 3, title, lines: [] });
  }
  return { intro: intro.join('\n').trim(), blocks };
}

const relativePath = (from: string, to: string): string => posix.relative(posix.dirname(from), to);

interface Move {
  readonly from: string;
  readonly to: string;
  readonly target: (anchor: string, from: string) => string;
}

const moveLinks = (text: string, { from, to, target }: Move): string =>
  text.replaceAll(/\]\((?![a-z]+:)([^)\s]+)\)/gu, (_, link: string) => {
    if (link.startsWith('#')) return `](${target(link.slice(1), to)})`;
    return `](${relativePath(to, posix.join(posix.dirname(from), link))})`;
  });
