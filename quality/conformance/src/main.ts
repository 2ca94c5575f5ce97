/** `npm run conformance`: runs every cell, prints the table, writes the results and the page. With a library and a behaviour: only that cell. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { behaviours } from './behaviours/index.ts';
import { contenders } from './contenders/index.ts';
import { pagePath, printPage, printTable, resultsPath } from './pages.ts';
import { root, runAll, runCell } from './run.ts';

async function one(name: string, id: string | undefined): Promise<void> {
  const notes = contenders.find((each) => each.name === name);
  const behaviour = behaviours.find((each) => each.id === id);
  if (!notes || !behaviour) {
    console.error(`Usage: npm run conformance -- <${contenders.map((each) => each.name).join('|')}> <B1…B${behaviours.length}>`);
    process.exitCode = 1;
    return;
  }
  const { verdict, seen } = await runCell(behaviour, notes);
  console.log(
    `${behaviour.id}: ${behaviour.title}\nDone: ${behaviour.done}\nExpected: ${behaviour.expected}\n${notes.title}: ${verdict}. ${seen}`,
  );
}

async function all(): Promise<void> {
  const results = await runAll();
  const write = (path: string, text: string): void => writeFileSync(join(root, path), text);
  console.log(printTable(results));
  write(resultsPath, `${JSON.stringify(results, undefined, 2)}\n`);
  write(pagePath, `${printPage(results)}\n`);
  execFileSync('oxfmt', [resultsPath, pagePath], { cwd: root });
  const failed = behaviours.filter(({ id }) => results[id]?.['holdfast']?.verdict !== 'pass');
  for (const { id, title } of failed) console.error(`Holdfast misses ${id}: ${title}: ${results[id]?.['holdfast']?.seen}`);
  if (failed.length > 0) process.exitCode = 1;
}

const [, , name, id] = process.argv;
await (name === undefined ? all() : one(name, id));
