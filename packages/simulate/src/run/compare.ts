/** Owns comparisons: contenders in worlds, each with several seeds, and the means of their metrics. */
import type { RunMetrics } from '../metrics/metrics.ts';
import type { World } from '../world/world.ts';
import type { Contender } from './contender.ts';
import { simulate } from './simulation.ts';
import type { Summary } from './summary.ts';
import { summarize } from './summary.ts';

/** The runs of one contender in one world. */
export interface Comparison {
  /** Name of the world. */
  readonly world: string;
  /** Name of the contender. */
  readonly contender: string;
  /** Means over the seeds. */
  readonly summary: Summary;
  /** The runs, one per seed, in their order. */
  readonly runs: readonly RunMetrics[];
}

/** The seeds of several runs. A single run uses the seed itself, so that one run of many can be repeated alone. */
export function seedsOf(seed: string, count: number): readonly string[] {
  return count === 1 ? [seed] : Array.from({ length: count }, (_, index) => `${seed}.${index + 1}`);
}

/** Runs every contender in every world with the same seeds, world by world. */
export function compare(worlds: readonly World[], contenders: readonly Contender[], seeds: readonly string[]): readonly Comparison[] {
  return worlds.flatMap((world) =>
    contenders.map((contender) => {
      const runs = seeds.map((seed) => simulate(world, contender, seed));
      return { world: world.name, contender: contender.name, summary: summarize(runs), runs };
    }),
  );
}
