/** Writes the reference pages, and the table of the README. Run by `npm run docs`. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readmeWith } from '../../quality/lab/src/readme.ts';
import { pages } from './pages.ts';
import { root } from './source.ts';

for (const { path, print } of pages) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), `${(await print()).trimEnd()}\n`);
}

const readme = join(root, 'README.md');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const sources = { pageOf: (world: string) => read(`docs/lab/${world}.md`), conformance: read('docs/conformance.md') };
writeFileSync(readme, readmeWith(read('README.md'), sources));
