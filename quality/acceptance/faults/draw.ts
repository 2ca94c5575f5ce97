/** Draws mutants by a seed from the sources that the numbered requirements are about. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mutantsOf, type Mutant } from './mutants.ts';

/** Not here: what no document asks for, such as the control of load, journals, the fleet, histories and replay. */
const covered: readonly string[] = [
  'packages/core/src/agent/**/*.ts',
  'packages/core/src/engine/{backoff,breaker,call,classify,recover,schema,settings,tool,trace,turn}/**/*.ts',
  'packages/core/src/projections/{alerts,metrics,turn}/**/*.ts',
  'packages/core/src/projections/*.ts',
  'packages/core/src/runtime/service/**/*.ts',
  'packages/wire/src/{definitions,repair,responses}/**/*.ts',
];

/** Nor these: a second detector, held circuits, percentiles, certainty of rates, saved states and providers' schemas are ours. */
const outside =
  /\/(?:engine\/trace\/events\/|breaker\/(?:hold|rate-detector|rolling-window|snapshot)|agent\/(?:loop\/incremental-|session\/saved)|metrics\/sketch|alerts\/(?:wilson|saved-|sample-history|pattern-reader)|definitions\/gemini-)/u;

export function drawMutants(root: string, seed: number, count: number): readonly Mutant[] {
  const files = globSync([...covered], { cwd: root })
    .filter((file) => !outside.test(file))
    .toSorted();
  const left = files.flatMap((file) => mutantsOf(file, readFileSync(join(root, file), 'utf8')));
  const random = mulberry32(seed);
  const drawn: Mutant[] = [];
  while (drawn.length < count && left.length > 0) {
    const [mutant] = left.splice(Math.floor(random() * left.length), 1);
    // One of a line: neighbours say the same.
    if (mutant && !drawn.some(({ file, line }) => file === mutant.file && line === mutant.line)) drawn.push(mutant);
  }
  return drawn;
}

function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
