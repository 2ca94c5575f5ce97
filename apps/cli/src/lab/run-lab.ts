/** Owns the running of contenders in worlds, from the same seeds, with word of how far it is. */
import { type Comparison, type Contender, simulate, summarize, type World } from '@holdfast/simulate';

export interface LabProgress {
  readonly world: string;
  readonly contender: string;
  /** Runs that are done. */
  readonly done: number;
  readonly total: number;
}

export interface LabRuns {
  readonly worlds: readonly World[];
  readonly contenders: readonly Contender[];
  readonly seeds: readonly string[];
}

/** World by world, contender by contender. */
export function runLab({ worlds, contenders, seeds }: LabRuns, onProgress: (progress: LabProgress) => void): readonly Comparison[] {
  const total = worlds.length * contenders.length * seeds.length;
  let done = 0;
  return worlds.flatMap((world) =>
    contenders.map((contender) => {
      const runs = seeds.map((seed) => {
        onProgress({ world: world.name, contender: contender.name, done, total });
        done += 1;
        return simulate(world, contender, seed);
      });
      return { world: world.name, contender: contender.name, summary: summarize(runs), runs };
    }),
  );
}

/** Of one run the seed itself, so that a run among many can be had again alone. */
export function seedsOf(seed: string, count: number): readonly string[] {
  return count === 1 ? [seed] : Array.from({ length: count }, (_, index) => `${seed}.${index + 1}`);
}
