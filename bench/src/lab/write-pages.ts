/** Owns the files of a full run. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metrics } from '@holdfast/simulate';
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
import { runAll } from './crew.ts';
import type { Job } from './job.ts';
import { everyPolicy, everyWorld, judgedWorlds } from './line-up.ts';
import { besideModels } from './real/beside.ts';
import { remarksOf, summaryRemarks } from './remarks.ts';
import { worldNamed } from './run-job.ts';

const folder = join(import.meta.dirname, '../../../docs/lab');
const charted: readonly string[] = ['adaptive', 'spec', 'none'];

export async function writePages(seeds: readonly string[]): Promise<void> {
  const run: RunDescription = { command: 'npm run lab', seeds };
  rmSync(join(folder, 'charts'), { recursive: true, force: true });
  mkdirSync(join(folder, 'charts'), { recursive: true });
  const reports: WorldReport[] = [];
  for (const name of everyWorld()) {
    const report = await reportOf(name, seeds);
    reports.push(report);
    write(`${name}.md`, worldPage(report, run));
    console.log(`${name}: written`);
  }
  const judged = reports.filter(({ world }) => judgedWorlds.includes(world.name));
  const others = reports.filter(({ world }) => !judgedWorlds.includes(world.name));
  write('README.md', summaryPage(judged, others, run, summaryRemarks));
  const besideSeeds = seeds.slice(0, 3);
  write('peers.md', peersPage(peerModels, await besideModels(besideSeeds), { ...run, seeds: besideSeeds }));
  const ablationSeeds = seeds.slice(0, 5);
  write('ablation.md', ablationPage(await ablation(ablationSeeds), judgedWorlds, { ...run, seeds: ablationSeeds }));
  spawnSync('oxfmt', ['docs/lab'], { cwd: join(folder, '../..'), stdio: 'inherit' });
}

async function reportOf(name: string, seeds: readonly string[]): Promise<WorldReport> {
  const policies = everyPolicy();
  const jobs: Job[] = policies.flatMap((contender) => seeds.map((seed) => ({ world: name, contender, seed })));
  const metrics = await runAll(jobs);
  const standings = policies.map((contender) => standingOf(metrics.filter((run) => run.contender === contender)));
  const file = `charts/${name}.svg`;
  const chartSeed = seeds[0] ?? '';
  write(file, chart(shown(metrics, standings, chartSeed)));
  const remarks = remarksOf(name);
  return { world: worldNamed(name), standings, chart: `./${file}`, chartSeed, ...(remarks !== undefined && { remarks }) };
}

async function ablation(seeds: readonly string[]): Promise<readonly Standing[]> {
  const contenders = ['adaptive', 'spec', ...ablated().map(({ name }) => name)];
  const pairs = judgedWorlds.flatMap((world) => contenders.map((contender) => ({ world, contender })));
  const metrics = await runAll(pairs.flatMap((pair) => seeds.map((seed) => ({ ...pair, seed }))));
  return pairs.map(({ world, contender }) => standingOf(metrics.filter((run) => run.world === world && run.contender === contender)));
}

/** The profiles, doing nothing, and the peers that do best. */
function shown(metrics: readonly Metrics[], standings: readonly Standing[], seed: string): readonly Metrics[] {
  const peers = standings.filter(({ contender }) => peerModels.some(({ name }) => name === contender) && !charted.includes(contender));
  const best = peers.toSorted((one, other) => (other.success?.mean ?? 0) - (one.success?.mean ?? 0)).slice(0, 2);
  const names = [...charted, ...best.map(({ contender }) => contender)];
  return names.flatMap((name) => metrics.filter((run) => run.contender === name && run.seed === seed));
}

function write(file: string, text: string): void {
  writeFileSync(join(folder, file), text);
}
