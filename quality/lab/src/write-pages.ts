/** Owns the files of a full run. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
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
import { ablationWorlds, bounds, everyPolicy, everyWorld, goodPeers, judgedWorlds, topologies, topologyPolicies } from './line-up.ts';
import type { Contest } from './random/contest.ts';
import { randomPage } from './random/page.ts';
import { playRandom } from './random/play.ts';
import { besideModels } from './real/beside.ts';
import { readmeWith } from './readme.ts';
import { remarksOf, summaryRemarks } from './remarks.ts';
import { worldNamed } from './run-job.ts';
import { forget, runsOf } from './stored-runs.ts';
import { topologiesPage } from './topologies/page.ts';
import { isMet, topologyVerdict, type TopologyVerdict } from './topologies/verdict.ts';

const folder = join(import.meta.dirname, '../../../docs/lab');
const charted: readonly string[] = ['adaptive', 'spec', 'none'];

/** Number of seeds in the worlds with targets, and elsewhere. */
export const usualSeeds = 20;
export const usualFewSeeds = 5;
/** Number of generated worlds. */
const worldCount = 500;

export interface Wanted {
  /** Runs of the worlds with targets. */
  readonly seeds: readonly string[];
  /** Runs of the other worlds, the ablation and the real packages. */
  readonly fewSeeds: readonly string[];
  /** Seed of the generated worlds. */
  readonly worldSeed: string;
  /** Earlier runs replace those that would give the same result. */
  readonly reuse: boolean;
}

export async function writePages({ seeds, fewSeeds, worldSeed, reuse }: Wanted): Promise<void> {
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
  const verdicts = await topologyVerdicts(reports, fewSeeds.slice(0, 2), reuse);
  const alone = `in one process ${seeds.length} or ${fewSeeds.length} seeds`;
  write('topologies.md', topologiesPage(verdicts, alone, { ...run, seeds: fewSeeds.slice(0, 2) }));
  console.log('topologies: written');
  await writeRandom(worldCount, worldSeed);
  const missed = verdicts.filter((verdict) => !isMet(verdict)).length;
  write(
    'README.md',
    summaryPage(judged, others, run, fewSeeds.length, [
      `## In every topology\n\n${verdicts.length - missed} of ${verdicts.length} combinations of a scenario and a topology meet their bars: [the table](./topologies.md).`,
      summaryRemarks,
    ]),
  );
  write('peers.md', peersPage(peerModels, await besideModels(fewSeeds.slice(0, 2)), { ...run, seeds: fewSeeds.slice(0, 2) }));
  console.log('peers: written');
  write('ablation.md', ablationPage(await ablation(few.seeds.slice(0, 3)), ablationWorlds, { ...run, seeds: few.seeds.slice(0, 3) }));
  writeReadme();
  format();
}

function writeReadme(): void {
  const path = join(folder, '../../README.md');
  writeFileSync(
    path,
    readmeWith(readFileSync(path, 'utf8'), {
      pageOf: (world) => readFileSync(join(folder, `${world}.md`), 'utf8'),
      conformance: readFileSync(join(folder, '../conformance.md'), 'utf8'),
    }),
  );
}

function format(): void {
  spawnSync('oxfmt', ['docs/lab', 'README.md'], { cwd: join(folder, '../..'), stdio: 'inherit' });
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

/** The runs in one process are those of the reports. */
async function topologyVerdicts(
  reports: readonly WorldReport[],
  seeds: readonly string[],
  reuse: boolean,
): Promise<readonly TopologyVerdict[]> {
  const spread = topologies.filter((processes) => processes > 1);
  const places = reports.flatMap(({ world: { name: world } }) => spread.map((processes) => ({ world, processes })));
  const pairs = places.flatMap((place) => topologyPolicies.map((contender) => ({ ...place, contender })));
  const standings = (await runsOf(pairs, seeds, { reuse, store: true })).map(standingOf);
  const together = reports.map(({ world: { name: world }, standings: all }) =>
    topologyVerdict({ world, processes: 1 }, all, 'adaptive', bounds),
  );
  const apart = places.map((place, index) =>
    topologyVerdict(place, standings.slice(index * topologyPolicies.length, (index + 1) * topologyPolicies.length), 'adaptive', bounds),
  );
  return [...together, ...apart].filter((verdict) => verdict !== undefined);
}

/** Draws worlds from a seed, and writes the page about them. */
export async function writeRandom(count: number, worldSeed: string): Promise<readonly Contest[]> {
  const worlds = Array.from({ length: count }, (_, index) => `${worldSeed}-${index + 1}`);
  const contests = await playRandom(worlds, { contenders: ['none', 'adaptive', ...goodPeers] });
  write('random.md', randomPage(contests, worldSeed));
  console.log('random: written');
  return contests;
}

/** Runs made for the other pages are reused. */
async function ablation(seeds: readonly string[]): Promise<readonly Standing[]> {
  const contenders = ['adaptive', ...ablated().map(({ name }) => name)];
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
