/** Runs the acceptance tests of a working copy. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { triedTests } from './tried-tests.ts';
import { verdictsVariable, type Verdicts } from './verdict-reporter.ts';

const longestMs = 120_000;

/** The verdicts of the tests; `hung` if they did not end, `undefined` if they did not run. */
export type Run = Verdicts | 'hung' | undefined;

/** Runs the tests of these conditions. */
export function acceptanceRun(root: string): (conditions: readonly string[]) => Run {
  const folder = join(root, 'quality/acceptance');
  const files = triedTests(folder).map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
  const verdicts = join(root, 'verdicts.json');
  return (conditions) => {
    rmSync(verdicts, { force: true });
    const needed = files
      .filter(({ text }) => conditions.some((id) => text.includes(`'${id}'`)))
      .map(({ name }) => `quality/acceptance/${name}`);
    const tags = ['--tags-filter', conditions.join(' || ')];
    const options = ['--project', 'acceptance', '--maxWorkers', '1', '--testTimeout', '10000', ...tags];
    const reporter = ['--reporter', './quality/acceptance/faults/verdict-reporter.ts'];
    const { error } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...options, ...reporter, ...needed], {
      cwd: root,
      env: { ...process.env, [verdictsVariable]: verdicts },
      stdio: 'ignore',
      timeout: longestMs,
      killSignal: 'SIGKILL',
    });
    if (existsSync(verdicts)) return JSON.parse(readFileSync(verdicts, 'utf8')) as Verdicts;
    return (error as NodeJS.ErrnoException | undefined)?.code === 'ETIMEDOUT' ? 'hung' : undefined;
  };
}
