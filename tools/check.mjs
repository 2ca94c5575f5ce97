/**
 * Runs every check except the tests; all of them run, so one run shows every problem. They run in two lanes: checks of the built types come after the build,
 * checks of the sources run meanwhile. Packing and measuring the size may build the dashboard, so they run one after the other. A check's output is printed
 * when it ends.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';

const ofSources = ['format', 'lint', 'imports', 'unused', 'site'];
const ofBuilt = ['packages', 'size'];
const failed = [];
/** The compiler, and what the examples of packages import, is loaded many times, and compiled once. */
const env = { ...process.env, NODE_COMPILE_CACHE: resolve('node_modules/.cache/compile') };

async function run(name) {
  const check = spawn('npm', ['run', '--silent', `check:${name}`], { stdio: ['ignore', 'pipe', 'pipe'], env });
  const ended = once(check, 'close');
  const [output, errors] = await Promise.all([text(check.stdout), text(check.stderr)]);
  const [status] = await ended;
  console.log(`\n── check:${name}\n${output}${errors}`.trimEnd());
  if (status !== 0) failed.push(name);
}

async function runAll(names) {
  for (const name of names) await run(name);
}

const built = run('types');
const beside = runAll(ofSources);
await Promise.all([built.then(() => runAll(ofBuilt)), Promise.all([built, beside]).then(() => run('api'))]);

const all = ['types', ...ofSources, ...ofBuilt, 'api'];
console.log(failed.length === 0 ? `\nAll ${all.length} checks passed.` : `\nFailed checks: ${failed.join(', ')}`);
process.exit(failed.length === 0 ? 0 : 1);
