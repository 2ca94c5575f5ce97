/** Builds the pages of the TypeScript API, and checks that each module has one and that no link of theirs is dead. Run by `npm run check`. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deadLinks } from './dead-links.ts';
import { apiFolder } from './sources.ts';
import { moduleNames } from './typescript-api.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string | undefined => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined);
const pages = globSync(`${apiFolder}/**/*.md`, { cwd: root }).map((path) => ({ path, text: read(path) ?? '' }));
const titles = new Set(pages.map(({ text }) => /^# (.+)$/mu.exec(text)?.[1]));
const problems = [
  ...moduleNames.filter((name) => !titles.has(name)).map((name) => `${name} has no page`),
  ...pages.filter(({ text }) => text.trim().split('\n').length < 2).map(({ path }) => `${path} is empty`),
  ...deadLinks(pages, read),
];
for (const problem of problems.slice(0, 50)) console.error(problem);
console.log(`${pages.length} pages of ${moduleNames.length} modules, ${problems.length} problems.`);
process.exitCode = problems.length === 0 ? 0 : 1;
