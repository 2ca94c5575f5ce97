/** Finds links of pages that lead to no page, or to no heading of it. */
import { posix } from 'node:path';
import { anchorOf } from '../../tools/docs/split-page.ts';
import type { ApiPage } from './api-pages.ts';

/** `read` returns the text of a page that is not among them; `undefined` if there is none. */
export function deadLinks(pages: readonly ApiPage[], read: (path: string) => string | undefined): readonly string[] {
  const texts = new Map(pages.map(({ path, text }) => [path, text]));
  const anchors = new Map<string, ReadonlySet<string> | undefined>();
  const anchorsOf = (path: string): ReadonlySet<string> | undefined => {
    if (!anchors.has(path)) anchors.set(path, anchorsIn(texts.get(path) ?? read(path)));
    return anchors.get(path);
  };
  return pages.flatMap(({ path, text }) =>
    linksIn(text).flatMap((link) => {
      const [file = '', anchor] = link.split('#');
      const known = anchorsOf(file === '' ? path : posix.join(posix.dirname(path), file));
      if (known === undefined) return [`${path}: ${link} leads to no page`];
      return anchor === undefined || known.has(anchor) ? [] : [`${path}: ${link} leads to no heading`];
    }),
  );
}

/** Relative ones to pages, outside of code. */
const linksIn = (text: string): readonly string[] =>
  [
    ...withoutFences(text)
      .replaceAll(/`[^`\n]*`(?!\])/gu, '')
      .matchAll(/\]\(([^)\s:]+\.md(?:#[^)\s]*)?|#[^)\s]+)\)/gu),
  ].map(([, link = '']) => link);

const withoutFences = (text: string): string => text.replaceAll(/^```[\s\S]*?^```/gmu, '');

/** Headings that occur again have a number. */
export function anchorsIn(text: string | undefined): ReadonlySet<string> | undefined {
  if (text === undefined) return undefined;
  const prose = withoutFences(text);
  const found = new Set([...prose.matchAll(/<a id="([^"]+)">/gu)].map(([, id = '']) => id));
  for (const [, heading = ''] of prose.matchAll(/^#{1,6} (.+)$/gmu)) {
    const anchor = anchorOf(heading.replaceAll('\\', ''));
    let unique = anchor;
    for (let again = 1; found.has(unique); again += 1) unique = `${anchor}-${again}`;
    found.add(unique);
  }
  return found;
}
