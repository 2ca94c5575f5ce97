/** Plants random faults: edits drawn by a seed from the sources that implement the requirements. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { blockOf } from './blocks.ts';
import { drawMutants, sourcesOfRequirements, type DrawnMutant } from './draw.ts';
import { diffOf, mutated } from './mutants.ts';
import { findReached } from './reached.ts';
import { createTestRuns } from './test-runs.ts';
import { createTypeCheck } from './type-check.ts';
import { createWorkingCopy } from './working-copy.ts';

interface Judged extends DrawnMutant {
  /** The first test that failed; without one the fault survived. */
  readonly caughtBy?: string;
}

export interface DrawnOptions {
  readonly seed: number;
  readonly count: number;
  /** Those that survived when the seed was drawn, instead of new ones. */
  readonly again: boolean;
}

/** @returns how many survived */
export async function plantDrawn(repository: string, { seed, count, again }: DrawnOptions): Promise<number> {
  const folder = join(repository, 'reports/faults');
  const path = (name: string): string => join(folder, `drawn-${seed}${name}.json`);
  const textOf = (file: string): string => readFileSync(join(repository, file), 'utf8');
  mkdirSync(folder, { recursive: true });
  const copy = createWorkingCopy(repository);
  const runs = createTestRuns(copy.root);
  process.on('exit', () => {
    runs.stop();
    copy.remove();
  });
  const sources = sourcesOfRequirements(repository);
  const reached = await findReached(copy.root, sources, runs);
  const accepts = createTypeCheck(repository, sources);
  const drawn = again ? survivorsIn(path(''), textOf) : drawMutants(repository, seed);
  const judged: Judged[] = [];
  // Sound again, but still compiled with a fault.
  let touched: readonly string[] = [];
  for (const mutant of drawn) {
    if (!again && judged.length === count) break;
    const text = textOf(mutant.file);
    const fault = mutated(text, mutant);
    if (!accepts(mutant.file, fault)) continue;
    const target = join(copy.root, mutant.file);
    const tests = reached.testsOf(blockOf(mutant.file, text, mutant.start));
    writeFileSync(target, fault);
    const answer = await runs.run({ files: tests, changed: [...touched, target] });
    writeFileSync(target, text);
    touched = [target];
    const failure = answer === 'hung' ? 'the tests do not end' : answer.failed[0]?.test;
    judged.push({ ...mutant, ...(failure === undefined ? {} : { caughtBy: failure }) });
    writeFileSync(path(again ? '-again' : ''), `${JSON.stringify(judged, undefined, 2)}\n`);
    const number = String(judged.length).padStart(3);
    const place = `${mutant.file}:${mutant.line} (${mutant.section})`;
    if (failure !== undefined) console.log(`${number} caught   ${place}`);
    else console.log(`${number} SURVIVED ${place}, ${tests.length} test files reach it\n${diffOf(text, mutant)}`);
  }
  // Nothing of the faults is left in the process that runs the tests: what failed failed by its own fault.
  const sound = await runs.run({ files: runs.files, changed: touched });
  if (sound === 'hung' || sound.failed.length > 0) throw new Error(`Without a fault the tests fail now: ${JSON.stringify(sound)}`);
  const survivors = judged.filter(({ caughtBy }) => caughtBy === undefined).length;
  console.log(`${judged.length - survivors} of ${judged.length} caught, seed ${seed}.`);
  runs.stop();
  return survivors;
}

/** Those whose source has not changed since. */
function survivorsIn(list: string, textOf: (file: string) => string): readonly DrawnMutant[] {
  const judged = JSON.parse(readFileSync(list, 'utf8')) as readonly Judged[];
  return judged
    .filter(({ caughtBy }) => caughtBy === undefined)
    .filter(({ file, start, end, before }) => textOf(file).slice(start, end) === before);
}
