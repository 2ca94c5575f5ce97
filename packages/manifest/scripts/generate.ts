/** Writes what is printed from the tables: the JSON Schemas and the reference page. A test holds them to be current. */
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
