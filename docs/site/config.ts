/** The site: the Markdown of the repository, with navigation and search. `npm run site` builds it, `npm run site:dev` serves it. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { anchorOf } from '../../tools/docs/split-page.ts';
import { flowcharts } from './flowchart.ts';
import { plainBraces, siteLinks } from './links.ts';
import { apiItems, navigation, sidebar } from './navigation.ts';
import { apiFolder, included, searched, sitePath } from './sources.ts';

const root = join(import.meta.dirname, '../..');
const outside = (path: string): boolean => /(?:^|\/)(?:node_modules|dist|\.git)(?:\/|$)/u.test(path);
const find = (patterns: readonly string[]): readonly string[] => globSync([...patterns], { cwd: root, exclude: outside });
// A test builds without the API pages, which take as long as all others.
const sources = find(included).filter((path) => process.env['HOLDFAST_SITE_API'] !== 'off' || !path.startsWith(apiFolder));
const isSource = new Set(sources);
const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { repository?: { url: string } };
const repositoryUrl = repository?.url.replace(/^git\+/u, '').replace(/\.git$/u, '');

/** The hero of the first page; its text is docs/README.md. */
const firstPage = {
  layout: 'home',
  hero: {
    name: 'Holdfast',
    text: 'Reliable tool calls for AI agents',
    tagline: 'Timeouts, retries, circuit breakers and fallbacks. No payment repeated blindly. Advice that the model can act on.',
    actions: [
      { text: 'Start', link: '/start/library' },
      { text: 'Why', link: '/why', theme: 'alt' },
    ],
  },
};

const icon =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><rect width='16' height='16' rx='4' fill='%233451b2'/><path d='M5 4v8M11 4v8M5 8h6' stroke='white' stroke-width='2'/></svg>";

export default defineConfig({
  title: 'Holdfast',
  description: 'Reliable tool calls for AI agents.',
  lang: 'en',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: icon }]],
  srcDir: '..',
  srcExclude: find(['**/*.md', '.*/**/*.md']).filter((path) => !isSource.has(path)),
  outDir: process.env['HOLDFAST_SITE_OUT'] ?? '../reports/site',
  cacheDir: '../node_modules/.cache/vitepress',
  base: process.env['HOLDFAST_SITE_BASE'] ?? '/',
  rewrites: Object.fromEntries(sources.map((path) => [path, sitePath(path)])),
  lastUpdated: false,
  markdown: {
    // Headings such as `/turns/{id}` are no attributes.
    attrs: { disable: true },
    anchor: { slugify: anchorOf },
    config: (markdown) => {
      siteLinks(markdown, { root, pages: isSource, repository: repositoryUrl });
      plainBraces(markdown);
      flowcharts(markdown);
    },
  },
  transformPageData: (page) =>
    page.relativePath === 'index.md' ? { title: 'Holdfast', titleTemplate: false, frontmatter: firstPage } : undefined,
  themeConfig: {
    nav: [...navigation],
    sidebar: sidebar(apiItems(sources)),
    outline: [2, 3],
    search: {
      provider: 'local',
      options: { _render: (source, env, markdown) => markdown.render(searched(sitePath(env.relativePath as string), source), env) },
    },
    socialLinks: repositoryUrl === undefined ? [] : [{ icon: 'github', link: repositoryUrl }],
  },
});
