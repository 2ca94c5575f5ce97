/**
 * A program: `npm run lab` runs every policy in every world and writes docs/lab;
 * `npm run lab -- [--world outage,flapping] [--policy adaptive,none] [--seeds 3]` runs some and only prints.
 */
import { parseArgs } from 'node:util';
import { comparisonTable, judge, markdownTable, standingOf, type Standing } from '@holdfast/simulate/report';
import { runAll } from './crew.ts';
import type { Job } from './job.ts';
import { everyPolicy, everyWorld } from './line-up.ts';
import { writePages } from './write-pages.ts';

const { values } = parseArgs({
  options: {
    world: { type: 'string', multiple: true, default: [] },
    policy: { type: 'string', multiple: true, default: [] },
    seeds: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});

const listed = (lists: readonly string[], all: readonly string[]): readonly string[] =>
  lists.length === 0 ? all : lists.flatMap((list) => list.split(','));

const isFull = values.world.length === 0 && values.policy.length === 0;
const count = Number(values.seeds ?? (isFull ? 20 : 3));
const seeds = Array.from({ length: count }, (_, index) => `lab-${index + 1}`);

if (isFull) await writePages(seeds);
else await printSome();

async function printSome(): Promise<void> {
  const worlds = listed(values.world, everyWorld());
  const policies = listed(values.policy, everyPolicy());
  const jobs: Job[] = worlds.flatMap((world) => policies.flatMap((contender) => seeds.map((seed) => ({ world, contender, seed }))));
  const metrics = await runAll(jobs);
  for (const world of worlds) {
    const standings: Standing[] = policies.map((contender) =>
      standingOf(metrics.filter((run) => run.world === world && run.contender === contender)),
    );
    if (values.json) console.log(JSON.stringify(standings));
    else print(world, standings);
  }
}

function print(world: string, standings: readonly Standing[]): void {
  console.log(`\n${world}\n${comparisonTable(standings)}`);
  const verdicts = judge(standings, 'adaptive');
  if (standings.length > 1 && verdicts.length > 0)
    console.log(
      markdownTable(
        ['adaptive', 'seen', 'best', ''],
        verdicts.map(({ wanted, seen, best, met }) => [wanted, seen, best, met ? 'met' : 'MISSED']),
        false,
      ),
    );
}
