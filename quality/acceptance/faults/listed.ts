/** Plants the faults of the tables, each against the tests of the conditions that it breaks. */
import { acceptanceRun, type Run } from './acceptance-run.ts';
import type { Fault } from './fault.ts';
import { faults } from './faults.ts';
import { createWorkingCopy, type WorkingCopy } from './working-copy.ts';

/**
 * @param wanted ids of conditions, or beginnings of ids; all if there are none
 * @returns how many faults survived
 * @throws Error if a condition fails without a fault
 */
export function plantListed(repository: string, wanted: readonly string[]): number {
  const isWanted = (condition: string): boolean => wanted.length === 0 || wanted.some((start) => condition.startsWith(start));
  const chosen = faults.filter(({ conditions }) => conditions.some(isWanted));
  const copy = createWorkingCopy(repository);
  process.on('exit', () => copy.remove());
  const run = acceptanceRun(copy.root);
  const all = [...new Set(chosen.flatMap(({ conditions }) => conditions))];
  const sound = run(all);
  const failing = all.filter((id) => typeof sound !== 'object' || sound[id] !== true);
  if (failing.length > 0) throw new Error(`Without any fault these conditions fail, or have no test: ${failing.join(', ')}`);
  let survivors = 0;
  for (const [index, fault] of chosen.entries()) {
    const survived = survivedBy(fault, copy, run);
    if (survived.length > 0) survivors += 1;
    const verdict = survived.length === 0 ? 'caught  ' : 'SURVIVED';
    const by = survived.length === 0 ? fault.conditions : survived;
    console.log(`${String(index + 1).padStart(3)} ${verdict} ${fault.what} (${by.join(', ')})`);
  }
  console.log(`${chosen.length - survivors} of ${chosen.length} faults caught, in ${all.length} conditions.`);
  return survivors;
}

/** The conditions that did not notice the fault. */
function survivedBy(fault: Fault, copy: WorkingCopy, run: (conditions: readonly string[]) => Run): readonly string[] {
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
