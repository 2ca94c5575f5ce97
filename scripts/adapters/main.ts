/** `npm run adapters`: plays every case with every framework, writes the results and the page. With names of adapters (`openai mcp`): those alone. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pagePath, printPage, resultsPath } from './pages.ts';
import type { FrameworkResults } from './run.ts';
import { adapterFolders, allCases, harnessesOf, root, runFramework } from './run.ts';

const chosen = process.argv.slice(2);
const known = join(root, resultsPath);
const before = existsSync(known) ? (JSON.parse(readFileSync(known, 'utf8')) as readonly FrameworkResults[]) : [];

const results: FrameworkResults[] = [];

/** After each framework, so that a run that is interrupted has not been for nothing. */
function keep(others: readonly FrameworkResults[]): void {
  writeFileSync(known, `${JSON.stringify([...results, ...others], undefined, 2)}\n`);
}

for (const folder of adapterFolders) {
  const name = folder.slice(folder.lastIndexOf('/') + 1);
  for (const harness of await harnessesOf(folder)) {
    const kept = before.find(({ id }) => id === harness.id);
    const again = chosen.length === 0 || chosen.includes(name) || !kept;
    const result = again ? await runFramework(folder, harness) : kept;
    results.push(result);
    const missed = allCases.filter((each) => result.wrapped[each]?.verdict === 'fail');
    for (const each of missed) {
      console.error(`${harness.id} with Holdfast misses ${each}: ${result.wrapped[each]?.seen}`);
      process.exitCode = 1;
    }
    keep(before.filter(({ id }) => results.every((each) => each.id !== id)));
    if (again) console.log(`${harness.id}: ${allCases.length - missed.length} of ${allCases.length} with Holdfast`);
  }
}

keep([]);
writeFileSync(join(root, pagePath), `${printPage(results)}\n`);
execFileSync('oxfmt', [resultsPath, pagePath], { cwd: root });
process.exit();
