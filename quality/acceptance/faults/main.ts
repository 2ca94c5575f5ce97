/**
 * Plants one fault after another in a copy of the sources, and runs the acceptance tests of the conditions that it breaks.
 *
 *     npm run faults                    all faults
 *     npm run faults -- S1-2.4 S4       those of these conditions, or of all whose id begins so
 *
 * Fails if a condition passes although its fault is planted, or fails without one.
 */
import { join } from 'node:path';
import { acceptanceRun } from './acceptance-run.ts';
import type { Fault } from './fault.ts';
import { faults } from './faults.ts';
import { createWorkingCopy } from './working-copy.ts';

const wanted = process.argv.slice(2);
const isWanted = (condition: string): boolean => wanted.length === 0 || wanted.some((start) => condition.startsWith(start));
const chosen = faults.filter(({ conditions }) => conditions.some(isWanted));

const copy = createWorkingCopy(join(import.meta.dirname, '../../..'));
process.on('exit', () => copy.remove());
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));
const run = acceptanceRun(copy.root);

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
