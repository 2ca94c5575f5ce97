/** Owns one run, described by names. */
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { scenarios, simulate, startSimulation, type Contender, type RunMetrics, type World } from '@holdfast/simulate';
import { oracle, peer, peerModels } from '@holdfast/simulate/peers';
import type { Ablated } from './ablation/contenders.ts';
import type { ContestJob, Job } from './job.ts';
import { contest, runsFor, type Contest } from './random/contest.ts';
import { randomWorld, small } from './random/world.ts';
import { realContender, type RealContender } from './real/contenders.ts';
import { variant } from './variants.ts';

export async function runJob({ world, contender, seed, processes }: Job): Promise<RunMetrics> {
  const real = realContender(contender);
  const played = inProcesses(worldNamed(world), processes);
  return real ? runReal(played, real, seed) : runModel(played, contenderNamed(contender), seed);
}

/** A contender of the ablation changes numbers that all runs of this process share. */
function runModel(world: World, contender: Contender | Ablated, seed: string): RunMetrics {
  try {
    return simulate(world, contender, seed);
  } finally {
    if ('restore' in contender) contender.restore();
  }
}

/** The world in a topology, named after both. */
function inProcesses(world: World, processes: number | undefined): World {
  if (processes === undefined || processes === (world.processes ?? 1)) return world;
  return { ...world, name: `${world.name} in ${processes} processes`, processes };
}

export function runContest({ random, contenders, isSmall = false, runs }: ContestJob): Contest {
  const world = randomWorld(random, isSmall ? small : {});
  const seeds = Array.from({ length: runs ?? runsFor(world) }, (_, index) => `${random}.${index + 1}`);
  return contest(
    world,
    seeds,
    contenders.map((name) => () => contenderNamed(name)),
  );
}

/** Work that a package has deferred until its promises settle is done before time continues. */
async function runReal(world: World, contender: RealContender, seed: string): Promise<RunMetrics> {
  const simulation = startSimulation(world, contender, seed);
  try {
    while (simulation.step()) await turnOfTheLoop();
    return simulation.metrics();
  } finally {
    contender.restore();
  }
}

export function worldNamed(name: string): World {
  const known = new Map(Object.entries(scenarios)).get(name);
  if (!known) throw new RangeError(`No world is named ${name}. There are: ${Object.keys(scenarios).join(', ')}.`);
  return known;
}

function contenderNamed(name: string): Contender | Ablated {
  const model = peerModels.find((each) => each.name === name);
  if (model) return peer(model);
  if (name === oracle.name) return oracle;
  return variant(name);
}
