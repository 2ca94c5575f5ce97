/** Runs each contender in each world with the same seeds, and reports the progress. */
import { type Comparison, type Contender, simulate, summarize, type World } from '@holdfast/simulate';

export interface LabProgress {
  readonly world: string;
  readonly contender: string;
  /** Finished runs. */
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
