/**
 * Plants faults that nobody chose: edits drawn by a seed from the sources that the requirements are about. All acceptance tests run against each.
 *
 *     npm run faults:sample -- --seed 7 --count 100
 *     npm run faults:sample -- --seed 7 --again       those that survived at first, once more
 *
 * The list and the verdicts are written to `reports/faults/`. Survivors are for a person to judge: an edit may break no sentence of the documents.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { acceptanceRun, type Run } from './acceptance-run.ts';
import { drawMutants } from './draw.ts';
import type { Mutant } from './mutants.ts';
import { createWorkingCopy } from './working-copy.ts';

const repository = join(import.meta.dirname, '../../..');
const { values } = parseArgs({
  options: { seed: { type: 'string' }, count: { type: 'string', default: '100' }, again: { type: 'boolean', default: false } },
});
if (values.seed === undefined) throw new TypeError('Which seed? npm run faults:sample -- --seed 7');

const reports = join(repository, 'reports/faults');
const first = join(reports, `sample-${values.seed}.json`);
const mutants = values.again ? survivorsIn(first) : drawMutants(repository, Number(values.seed), Number(values.count));
const path = values.again ? join(reports, `sample-${values.seed}-again.json`) : first;
const write = (entries: readonly object[]): void => writeFileSync(path, `${JSON.stringify(entries, undefined, 2)}\n`);
mkdirSync(reports, { recursive: true });
write(mutants);

const copy = createWorkingCopy(repository);
process.on('exit', () => copy.remove());
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));
const run = acceptanceRun(copy.root);
const failedIn = (verdicts: Run): readonly string[] =>
  typeof verdicts === 'object' ? Object.keys(verdicts).filter((id) => verdicts[id] === false) : [String(verdicts ?? 'does not run')];

const sound = failedIn(run());
if (sound.length > 0) throw new Error(`Without any fault these conditions fail: ${sound.join(', ')}`);

const judged: object[] = [];
let caught = 0;
for (const [index, mutant] of mutants.entries()) {
  const { file, line, start, end, before, after } = mutant;
  const source = readFileSync(join(copy.root, file), 'utf8');
  writeFileSync(join(copy.root, file), source.slice(0, start) + after + source.slice(end));
  const failed = failedIn(run());
  writeFileSync(join(copy.root, file), source);
  judged.push({ ...mutant, failed });
  write(judged);
  if (failed.length > 0) caught += 1;
  const verdict = failed.length > 0 ? 'caught  ' : 'SURVIVED';
  const short = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
  console.log(
    `${String(index + 1).padStart(3)} ${verdict} ${file}:${line} ${short(before)} → ${short(after)} ${failed.slice(0, 3).join(' ')}`,
  );
}
console.log(`${caught} of ${mutants.length} caught, seed ${values.seed}.`);

/** Those whose source has not changed since. */
function survivorsIn(list: string): readonly Mutant[] {
  const judged = JSON.parse(readFileSync(list, 'utf8')) as readonly (Mutant & { readonly failed: readonly string[] })[];
  return judged
    .filter(({ failed }) => failed.length === 0)
    .filter(({ file, start, end, before }) => readFileSync(join(repository, file), 'utf8').slice(start, end) === before);
}
