/** `npm run adapters`: runs every case with every framework, writes the results and the page. With names of adapters (`openai mcp`): only those. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readResults, resultsPath as frameworkTestsPath } from '../conformance/frameworks/results.ts';
import { pagePath, printPage, resultsPath } from './pages.ts';
import type { FrameworkResults } from './run.ts';
import { adapterFolders, allCases, harnessesOf, root, runFramework } from './run.ts';

const chosen = process.argv.slice(2);
const known = join(root, resultsPath);
const before = existsSync(known) ? (JSON.parse(readFileSync(known, 'utf8')) as readonly FrameworkResults[]) : [];

const results: FrameworkResults[] = [];

/** Saves after each framework, so that an interrupted run is not lost. */
function keep(others: readonly FrameworkResults[]): void {
  writeFileSync(known, `${JSON.stringify([...results, ...others], undefined, 2)}\n`);
}

for (const folder of adapterFolders) {
  const name = folder.slice(folder.lastIndexOf('/') + 1);
  const kept = before.filter(({ adapter }) => adapter === `@holdfast/${name}`);
  if (chosen.length > 0 && !chosen.includes(name) && kept.length > 0) {
    results.push(...kept);
    continue;
  }
  for (const harness of await harnessesOf(folder)) {
    const result = await runFramework(folder, harness);
    results.push(result);
    keep(before.filter(({ id }) => results.every((each) => each.id !== id)));
    const missed = allCases.filter((each) => result.wrapped[each]?.verdict === 'fail');
    for (const each of missed) {
      const { wrong = [], seen } = result.wrapped[each] ?? { seen: '' };
      console.error(`${harness.id} with Holdfast misses ${each}: ${wrong.join('; ')}. Seen: ${seen}`);
      process.exitCode = 1;
    }
    console.log(`${harness.id}: ${allCases.length - missed.length} of ${allCases.length} with Holdfast`);
  }
}

keep([]);
writeFileSync(join(root, pagePath), `${printPage(results, readResults(join(root, frameworkTestsPath)))}\n`);
execFileSync('oxfmt', [resultsPath, pagePath], { cwd: root });
process.exit();
