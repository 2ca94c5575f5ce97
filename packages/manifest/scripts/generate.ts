/** Writes the JSON Schemas from the tables; `npm run docs` writes the reference pages. A test fails when a file is not current. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generateFiles } from '../src/generated.ts';

const root = new URL('../../../', import.meta.url);

for (const { path, text } of generateFiles()) {
  const target = fileURLToPath(new URL(path, root));
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, text);
  console.log(path);
}
