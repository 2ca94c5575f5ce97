/** Writes the reference pages. Run by `npm run docs`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pages } from './pages.ts';
import { root } from './source.ts';

for (const { path, print } of pages) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), `${(await print()).trimEnd()}\n`);
}
