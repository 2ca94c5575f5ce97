/** Writes the reference pages. Run by `npm run docs`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pages } from './pages.ts';
import { root } from './source.ts';

for (const { path, print } of pages) writeFileSync(join(root, path), `${await print()}\n`);
