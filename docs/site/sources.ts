/** Owns which Markdown files are pages of the site, and the address of each. */
import { posix } from 'node:path';

/** Where TypeDoc writes the API pages: not in git. */
export const apiFolder = 'reports/site-api';

/** Globs from the root of the repository. Everything else is not a page. */
export const included: readonly string[] = [
  'docs/**/*.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'CODE_OF_CONDUCT.md',
  'SECURITY.md',
  'packages/*/README.md',
  'packages/stores/*/README.md',
  'packages/adapters/*/README.md',
  'apps/*/README.md',
  'quality/bench/*.md',
  'quality/acceptance/README.md',
  `${apiFolder}/**/*.md`,
];

/** The path of a page on the site: `docs/concepts/retry.md` is `concepts/retry.md`. */
export function sitePath(source: string): string {
  const moved = source
    .replace(/^docs\//u, '')
    .replace(new RegExp(`^${apiFolder}/`, 'u'), 'reference/typescript/')
    .replace(/^(?:packages|apps)\/(?:adapters\/|stores\/)?([^/]+)\/README\.md$/u, 'packages/$1.md')
    .replace(/^quality\/bench\//u, 'benchmarks/')
    .replace(/^quality\/acceptance\/README\.md$/u, 'acceptance.md')
    .replace(/^(?!README)[A-Z_]+\.md$/u, (name) => name.toLowerCase().replaceAll('_', '-'));
  return posix.basename(moved) === 'README.md' ? posix.join(posix.dirname(moved), 'index.md') : moved;
}

/** Pages that would bury other results of the search, and that triple its size. */
const notSearched =
  /^(?:lab|decisions|benchmarks|packages)\/|^(?:adapters|acceptance|conformance|changelog|quality)\.md$|^reference\/api\/shapes\.md$/u;

/** What the search reads of a page. Of the TypeScript API it finds the names. */
export function searched(path: string, text: string): string {
  if (notSearched.test(path)) return '';
  return path.startsWith('reference/typescript/') ? (text.match(/^#{1,3} .+$/gmu) ?? []).join('\n\n') : text;
}
