/** Runs the profile `adaptive` and the best other contenders in a world, with few seeds; `npm run lab` runs all of them with twenty. */
import { holdfast } from '../src/holdfast/holdfast.ts';
import { peer } from '../src/peers/contender.ts';
import { peerModels } from '../src/peers/catalogue.ts';
import { judge } from '../src/report/judgement.ts';
import { standingOf } from '../src/report/standing.ts';
import type { Contender } from '../src/run/contender.ts';
import { simulate } from '../src/run/simulation.ts';
import { scenarios, type ScenarioName } from '../src/scenarios/index.ts';

const seeds: readonly string[] = ['lab-1', 'lab-2'];

/** The targets that are missed, as `wanted: seen against best`. */
export function missedIn(world: ScenarioName, ...rivals: readonly string[]): readonly string[] {
  const contenders: readonly Contender[] = [
    holdfast({ name: 'adaptive', profile: 'adaptive' }),
    ...peerModels.filter(({ name }) => rivals.includes(name)).map(peer),
  ];
  const standings = contenders.map((contender) => standingOf(seeds.map((seed) => simulate(scenarios[world], contender, seed))));
  const verdicts = judge(standings, 'adaptive');
  if (verdicts.length === 0) throw new Error(`There are no targets for ${world}.`);
  return verdicts.filter(({ met }) => !met).map(({ wanted, seen, best }) => `${wanted}: ${seen} against ${best}`);
}

/** The runs take seconds of computing, or minutes on a busy machine. */
export const patience = { timeout: 600_000 } as const;
