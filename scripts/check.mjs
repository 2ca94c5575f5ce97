/**
 * Every check but the tests; all of them run, so one go shows everything that is wrong. Types come first, since others look at what they build; the rest runs in
 * two lanes, the longest check in one of its own. What a check says is told when it is over.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

const first = ['format', 'types'];
const lanes = [['packages'], ['lint', 'imports', 'unused', 'api', 'size']];
const failed = [];

async function run(name) {
  const check = spawn('npm', ['run', '--silent', `check:${name}`], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(check, 'close');
  const [output, errors] = await Promise.all([text(check.stdout), text(check.stderr)]);
  const [status] = await ended;
  console.log(`\n── check:${name}\n${output}${errors}`.trimEnd());
  if (status !== 0) failed.push(name);
}

async function runAll(names) {
  for (const name of names) await run(name);
}

await runAll(first);
await Promise.all(lanes.map(runAll));

const all = [...first, ...lanes.flat()];
console.log(failed.length === 0 ? `\nAll ${all.length} checks passed.` : `\nFailed checks: ${failed.join(', ')}`);
process.exit(failed.length === 0 ? 0 : 1);
