/**
 * Mutation tests of the core.
 *
 *     npm run mutation                     every folder
 *     npm run mutation -- backoff breaker    these folders
 *     npm run mutation -- --fresh backoff   without the results of the last run
 *     npm run mutation -- --static         includes code that runs while a file loads: tables, defaults, patterns
 *     npm run mutation -- --report         only writes the table of docs/quality.md
 *
 * MUTATION_CONCURRENCY sets how many processes run tests (1), MUTATION_CASES the maximum number of cases per property (100).
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { folders } from './folders.ts';
import { writeTable } from './table.ts';

const root = join(import.meta.dirname, '../..');
const stryker = join(root, 'node_modules/@stryker-mutator/core/bin/stryker.js');

const flag = { type: 'boolean', default: false } as const;
const { values, positionals } = parseArgs({ allowPositionals: true, options: { report: flag, fresh: flag, static: flag } });

const mutate = (folder: string): boolean => {
  const reloads = folders[folder]?.reloads === true;
  // Modules are never unloaded: a new process from time to time keeps memory bounded.
  const options = [
    stryker,
    'run',
    'quality/mutation/stryker.config.mjs',
    ...(values.fresh ? ['--force'] : []),
    ...(reloads ? ['--maxTestRunnerReuse', '150'] : []),
  ];
  const environment = {
    ...process.env,
    MUTATION_FOLDER: folder,
    MUTATION_STATIC: values.static ? '1' : '0',
    MUTATION_RELOADS: reloads ? '1' : '0',
  };
  return spawnSync(process.execPath, options, { cwd: root, stdio: 'inherit', env: environment }).status === 0;
};

const unknown = positionals.filter((name) => folders[name] === undefined);
if (unknown.length > 0) {
  console.error(`No folder of the core: ${unknown.join(', ')}. Known: ${Object.keys(folders).join(', ')}`);
  process.exit(2);
}

const chosen = positionals.length > 0 ? positionals : Object.keys(folders);
const failed = values.report ? [] : chosen.filter((folder) => !mutate(folder));
writeTable(root);
spawnSync(join(root, 'node_modules/.bin/oxfmt'), ['docs/quality.md'], { cwd: root, stdio: 'inherit' });
if (failed.length > 0) {
  console.error(`Did not run: ${failed.join(', ')}`);
  process.exit(1);
}
