/** Owns the files of a full run. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunMetrics } from '@holdfast/simulate';
import { peerModels } from '@holdfast/simulate/peers';
import {
  chart,
  peersPage,
  standingOf,
  summaryPage,
  worldPage,
  type RunDescription,
  type Standing,
  type WorldReport,
} from '@holdfast/simulate/report';
import { ablated } from './ablation/contenders.ts';
import { ablationPage } from './ablation/page.ts';
import { ablationWorlds, everyPolicy, everyWorld, judgedWorlds } from './line-up.ts';
import { besideModels } from './real/beside.ts';
import { remarksOf, summaryRemarks } from './remarks.ts';
import { worldNamed } from './run-job.ts';
import { forget, runsOf } from './stored-runs.ts';

const folder = join(import.meta.dirname, '../../../docs/lab');
const charted: readonly string[] = ['adaptive', 'spec', 'none'];

/** Number of seeds in the worlds with targets, and elsewhere. */
export const usualSeeds = 20;
export const usualFewSeeds = 5;

export interface Wanted {
  /** Runs of the worlds with targets. */
  readonly seeds: readonly string[];
  /** Runs of the other worlds, the ablation and the real packages. */
  readonly fewSeeds: readonly string[];
  /** Earlier runs replace those that would give the same result. */
  readonly reuse: boolean;
}

export async function writePages({ seeds, fewSeeds, reuse }: Wanted): Promise<void> {
  if (!reuse) forget();
  const isUsual = seeds.length === usualSeeds && fewSeeds.length === usualFewSeeds;
  const command = isUsual ? 'npm run lab' : `npm run lab -- --seeds ${seeds.length} --few ${fewSeeds.length}`;
  const run: RunDescription = { command, seeds };
  const few: RunDescription = { ...run, seeds: fewSeeds };
  mkdirSync(join(folder, 'charts'), { recursive: true });
  const reports: WorldReport[] = [];
  for (const name of everyWorld()) {
    const used = judgedWorlds.includes(name) ? run : few;
    const report = await reportOf(name, used.seeds, reuse);
    reports.push(report);
    write(`${name}.md`, worldPage(report, used));
    console.log(`${name}: written`);
  }
  const judged = reports.filter(({ world }) => judgedWorlds.includes(world.name));
  const others = reports.filter(({ world }) => !judgedWorlds.includes(world.name));
  write('README.md', summaryPage(judged, others, run, fewSeeds.length, summaryRemarks));
  write('peers.md', peersPage(peerModels, await besideModels(fewSeeds.slice(0, 2)), { ...run, seeds: fewSeeds.slice(0, 2) }));
  console.log('peers: written');
  write('ablation.md', ablationPage(await ablation(few.seeds.slice(0, 3)), ablationWorlds, { ...run, seeds: few.seeds.slice(0, 3) }));
  spawnSync('oxfmt', ['docs/lab'], { cwd: join(folder, '../..'), stdio: 'inherit' });
}

async function reportOf(name: string, seeds: readonly string[], reuse: boolean): Promise<WorldReport> {
  const runs = await runsOf(
    everyPolicy().map((contender) => ({ world: name, contender })),
    seeds,
    { reuse, store: true },
  );
  const standings = runs.map(standingOf);
  const file = `charts/${name}.svg`;
  write(file, chart(shownRuns(runs.flatMap(([first]) => first ?? []))));
  const remarks = remarksOf(name);
  return { world: worldNamed(name), standings, chart: `./${file}`, chartSeed: seeds[0] ?? '', ...(remarks !== undefined && { remarks }) };
}

/** Runs made for the other pages are reused. */
async function ablation(seeds: readonly string[]): Promise<readonly Standing[]> {
  const contenders = ['adaptive', 'spec', ...ablated().map(({ name }) => name)];
  const pairs = ablationWorlds.flatMap((world) => contenders.map((contender) => ({ world, contender })));
  return (await runsOf(pairs, seeds, { reuse: true, store: true })).map(standingOf);
}

/** The profiles, the contender without a policy, and the two best peers. */
function shownRuns(runs: readonly RunMetrics[]): readonly RunMetrics[] {
  const peers = runs.filter(({ contender }) => peerModels.some(({ name }) => name === contender) && !charted.includes(contender));
  const best = peers.toSorted((one, other) => other.success - one.success).slice(0, 2);
  return [...charted.flatMap((name) => runs.filter(({ contender }) => contender === name)), ...best];
}

function write(file: string, text: string): void {
  writeFileSync(join(folder, file), text);
}
