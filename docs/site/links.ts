/** Links between pages are written as a code host reads them: relative paths of files. Here they become addresses of the site. */
import { existsSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import { sitePath } from './sources.ts';

type Token = ReturnType<MarkdownRenderer['parse']>[number];

export interface LinkOptions {
  readonly root: string;
  readonly pages: ReadonlySet<string>;
  /** Address of the repository, for files that are not pages. Without it, links to them are left out. */
  readonly repository: string | undefined;
}

/** Throws for a link that leads nowhere, so that the build fails. */
export function resolveLink(link: string, from: string, { root, pages, repository }: LinkOptions): string | undefined {
  // Pages of packages, which registries show too, link to the repository's address.
  const own = repository === undefined ? undefined : new RegExp(`^${repository}/(?:blob|tree)/main/(.+)$`, 'u').exec(link)?.[1];
  if (own === undefined && /^(?:[a-z]+:|#|\/)/u.test(link)) return link;
  const [path = '', anchor] = (own ?? link).split('#');
  const target = posix.join(own === undefined ? posix.dirname(from) : '.', decodeURI(path)).replace(/\/$/u, '');
  const page = [target, `${target}/README.md`].find((each) => pages.has(each));
  const suffix = anchor === undefined ? '' : `#${anchor}`;
  if (page !== undefined) {
    const relative = posix.relative(posix.dirname(sitePath(from)), sitePath(page));
    return `${relative.startsWith('.') ? relative : `./${relative}`}${suffix}`;
  }
  const file = join(root, target);
  if (!existsSync(file)) throw new Error(`${from}: the link ${link} leads nowhere.`);
  if (repository === undefined) return undefined;
  return `${repository}/${statSync(file).isDirectory() ? 'tree' : 'blob'}/main/${target}${suffix}`;
}

/** A plugin of the Markdown renderer. */
export function siteLinks(markdown: MarkdownRenderer, options: LinkOptions): void {
  markdown.core.ruler.push('site-links', ({ tokens, env }) => {
    // The search renders a page without saying where it really is: the path is that of the file then.
    const { path, realPath } = env as { readonly path: string; readonly realPath?: string };
    const from = posix.relative(options.root, realPath ?? path);
    for (const token of tokens) if (token.children) moveLinks(token.children, from, options);
    return true;
  });
}

function moveLinks(tokens: Token[], from: string, options: LinkOptions): void {
  let isLeftOut = false;
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const href = resolveLink(token.attrGet('href') ?? '', from, options);
      isLeftOut = href === undefined;
      if (href !== undefined) token.attrSet('href', href);
    }
    if (isLeftOut && token.type.startsWith('link_')) {
      isLeftOut = token.type !== 'link_close';
      token.type = 'text';
      token.tag = '';
      token.content = '';
    }
  }
}

/** `{{args.city}}` in a page is text, not a template. */
export function plainBraces(markdown: MarkdownRenderer): void {
  const escaped = (token: Token | undefined): string => markdown.utils.escapeHtml(token?.content ?? '');
  markdown.renderer.rules.text = (tokens, index) => escaped(tokens[index]).replaceAll('{{', '&#123;&#123;');
  markdown.renderer.rules.code_inline = (tokens, index) => `<code v-pre>${escaped(tokens[index])}</code>`;
}
