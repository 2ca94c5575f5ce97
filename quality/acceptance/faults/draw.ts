/** Draws mutants by a seed: a requirement, a line of its sources, an edit of that line. */
import { globSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { mutantsOf, type Mutant } from './mutants.ts';
import { ours, requirements, type Requirement } from './requirements.ts';

export interface DrawnMutant extends Mutant {
  readonly section: string;
}

/** All of them in a random order, at most one of a line: neighbours say the same. */
export function* drawMutants(root: string, seed: number): Generator<DrawnMutant> {
  const random = randomNumbers(seed);
  const take = <Item>(items: Item[]): Item | undefined => items.splice(Math.floor(random() * items.length), 1)[0];
  const lines = linesByFile(root);
  const left = requirements.map((requirement) => ({
    section: requirement.section,
    lines: sourcesOf(root, requirement).flatMap((file) => lines.get(file) ?? []),
  }));
  const drawn = new Set<string>();
  while (left.some(({ lines: own }) => own.length > 0)) {
    const chosen = left[Math.floor(random() * left.length)];
    const mutant = take([...((chosen && take(chosen.lines)) ?? [])]);
    if (!chosen || !mutant || drawn.has(`${mutant.file}:${mutant.line}`)) continue;
    drawn.add(`${mutant.file}:${mutant.line}`);
    yield { ...mutant, section: chosen.section };
  }
}

export const sourcesOfRequirements = (root: string): readonly string[] => [
  ...new Set(requirements.flatMap((requirement) => sourcesOf(root, requirement))),
];

function sourcesOf(root: string, { files }: Requirement): readonly string[] {
  const found = globSync([...files], { cwd: root }).map((file) => normalize(file));
  return found.filter((file) => !ours.test(file)).toSorted();
}

/** The mutants of each line that has some, by file. */
function linesByFile(root: string): ReadonlyMap<string, readonly (readonly Mutant[])[]> {
  return new Map(sourcesOfRequirements(root).map((file) => [file, byLine(mutantsOf(file, readFileSync(join(root, file), 'utf8')))]));
}

function byLine(mutants: readonly Mutant[]): readonly (readonly Mutant[])[] {
  const lines = new Map<number, Mutant[]>();
  for (const mutant of mutants) lines.set(mutant.line, [...(lines.get(mutant.line) ?? []), mutant]);
  return [...lines.values()];
}

/** The generator mulberry32: numbers from 0 to 1. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
