/**
 * Plants one fault after another in a copy of the sources, and runs the acceptance tests of the conditions that it breaks.
 *
 *     npm run faults                    all faults
 *     npm run faults -- S1-2.4 S4       those of these conditions, or of all whose id begins so
 *
 * Fails if a condition passes although its fault is planted, or fails without one.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Fault } from './fault.ts';
import { faults } from './faults.ts';
import { verdictsVariable, type Verdicts } from './verdict-reporter.ts';
import { createWorkingCopy } from './working-copy.ts';

const repository = join(import.meta.dirname, '../../..');
const longestMs = 120_000;

const wanted = process.argv.slice(2);
const isWanted = (condition: string): boolean => wanted.length === 0 || wanted.some((start) => condition.startsWith(start));
const chosen = faults.filter(({ conditions }) => conditions.some(isWanted));

const copy = createWorkingCopy(repository);
process.on('exit', () => copy.remove());
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

const folder = join(copy.root, 'quality/acceptance');
/** Tests on the real clock are left out: on a busy machine they can fail without a fault. */
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.test.ts') && !/\.(?:real-time|outside)\.test\.ts$/.test(name))
  .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));

/** The verdicts of the tests of these conditions; `hung` if they did not end, `undefined` if they did not run. */
function run(conditions: readonly string[]): Verdicts | 'hung' | undefined {
  const verdicts = join(copy.root, 'verdicts.json');
  rmSync(verdicts, { force: true });
  const needed = files
    .filter(({ text }) => conditions.some((id) => text.includes(`'${id}'`)))
    .map(({ name }) => `quality/acceptance/${name}`);
  const options = ['--project', 'acceptance', '--maxWorkers', '1', '--testTimeout', '10000', '--tags-filter', conditions.join(' || ')];
  const reporter = ['--reporter', './quality/acceptance/faults/verdict-reporter.ts'];
  const { error } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...options, ...reporter, ...needed], {
    cwd: copy.root,
    env: { ...process.env, [verdictsVariable]: verdicts },
    stdio: 'ignore',
    timeout: longestMs,
    killSignal: 'SIGKILL',
  });
  if (existsSync(verdicts)) return JSON.parse(readFileSync(verdicts, 'utf8')) as Verdicts;
  return (error as NodeJS.ErrnoException | undefined)?.code === 'ETIMEDOUT' ? 'hung' : undefined;
}

/** The conditions that did not notice the fault. */
function survivedBy(fault: Fault): readonly string[] {
  const takeOut = copy.plant(fault);
  try {
    const verdicts = run(fault.conditions);
    if (verdicts === 'hung') return [];
    if (verdicts === undefined) throw new Error(`"${fault.what}": the tests cannot run with it. It has to be a program.`);
    return fault.conditions.filter((id) => verdicts[id] !== false);
  } finally {
    takeOut();
  }
}

const all = [...new Set(chosen.flatMap(({ conditions }) => conditions))];
const sound = run(all);
const failing = all.filter((id) => typeof sound !== 'object' || sound[id] !== true);
if (failing.length > 0) throw new Error(`Without any fault these conditions fail, or have no test: ${failing.join(', ')}`);

let survivors = 0;
for (const [index, fault] of chosen.entries()) {
  const survived = survivedBy(fault);
  if (survived.length > 0) survivors += 1;
  const verdict = survived.length === 0 ? 'caught  ' : 'SURVIVED';
  const by = survived.length === 0 ? fault.conditions : survived;
  console.log(`${String(index + 1).padStart(3)} ${verdict} ${fault.what} (${by.join(', ')})`);
}
console.log(`${chosen.length - survivors} of ${chosen.length} faults caught, in ${all.length} conditions.`);
process.exitCode = survivors === 0 ? 0 : 1;
