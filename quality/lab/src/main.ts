/**
 * A program: `npm run lab` runs every policy in every world (20 seeds in those with targets, `--few` in others) and writes docs/lab and the README's table;
 * `--reuse` takes earlier runs of peers from reports/lab if the first seed still gives the same result, `--store` keeps some for that;
 * `npm run lab -- [--world outage,flapping] [--policy adaptive,none] [--seeds 3] [--processes 1,10,60,200]` runs some and only prints;
 * `npm run lab -- --random 500 [--seed N] [--policy adaptive,none]` draws worlds from a seed and compares the policies in them; `--random-world N-17` repeats one,
 * `--small` draws shorter worlds with fewer calls, as the tests do, and `--write` writes docs/lab/random.md.
 */
import { parseArgs } from 'node:util';
import { comparisonTable, judge, markdownTable, standingOf, type Standing } from '@holdfast/simulate/report';
import { bounds, everyPolicy, everyWorld, goodPeers } from './line-up.ts';
import { playRandom } from './random/play.ts';
import { randomReport } from './random/report.ts';
import { runsOf } from './stored-runs.ts';
import { missedBars, topologyVerdict } from './topologies/verdict.ts';
import { usualFewSeeds, usualSeeds, writePages, writeRandom } from './write-pages.ts';

const { values } = parseArgs({
  options: {
    world: { type: 'string', multiple: true, default: [] },
    policy: { type: 'string', multiple: true, default: [] },
    seeds: { type: 'string' },
    processes: { type: 'string', multiple: true, default: [] },
    random: { type: 'string' },
    seed: { type: 'string' },
    write: { type: 'boolean', default: false },
    small: { type: 'boolean', default: false },
    'random-world': { type: 'string', multiple: true, default: [] },
    few: { type: 'string', default: String(usualFewSeeds) },
    json: { type: 'boolean', default: false },
    reuse: { type: 'boolean', default: false },
    store: { type: 'boolean', default: false },
  },
});

const selectListed = (lists: readonly string[], all: readonly string[]): readonly string[] =>
  lists.length === 0 ? all : lists.flatMap((list) => list.split(','));

const isRandom = values.random !== undefined || values['random-world'].length > 0;
const isFull = !isRandom && [values.world, values.policy, values.processes].every((list) => list.length === 0);
const count = Number(values.seeds ?? (isFull ? usualSeeds : 3));
/** New at each run: no number is tuned on worlds that judge it. */
const worldSeed = values.seed ?? String(Date.now() % 1_000_000);
const seeds = Array.from({ length: count }, (_, index) => `lab-${index + 1}`);

if (isRandom) await printRandom();
else if (isFull) await writePages({ seeds, fewSeeds: seeds.slice(0, Number(values.few)), worldSeed, reuse: values.reuse });
else await printSome();

async function printRandom(): Promise<void> {
  if (values.write) {
    console.log(randomReport(await writeRandom(Number(values.random ?? 0), worldSeed), 'adaptive'));
    return;
  }
  const drawn = Array.from({ length: Number(values.random ?? 0) }, (_, index) => `${worldSeed}-${index + 1}`);
  const policies = [...new Set(['none', ...selectListed(values.policy, ['adaptive', ...goodPeers])])];
  const contests = await playRandom([...selectListed(values['random-world'], []), ...drawn], {
    contenders: policies,
    isSmall: values.small,
    ...(values.seeds !== undefined && { runs: Number(values.seeds) }),
  });
  console.log(values.json ? JSON.stringify(contests) : randomReport(contests, policies.find((name) => name !== 'none') ?? 'none'));
}

async function printSome(): Promise<void> {
  const worlds = selectListed(values.world, everyWorld());
  const policies = selectListed(values.policy, everyPolicy());
  const topologies = selectListed(values.processes, ['']).map((count) => (count === '' ? undefined : Number(count)));
  for (const world of worlds)
    for (const processes of topologies) {
      const pairs = policies.map((contender) => ({ world, contender, ...(processes !== undefined && { processes }) }));
      const standings = (await runsOf(pairs, seeds, { reuse: values.reuse, store: values.store })).map(standingOf);
      if (values.json) console.log(JSON.stringify(standings));
      else print(standings[0]?.world ?? world, standings);
      const verdict = topologyVerdict({ world, processes: processes ?? 1 }, standings, 'adaptive', bounds);
      if (verdict && !values.json) console.log(`\nadaptive: ${missedBars(verdict).join(', ') || 'harmless, recovers, and near the best'}`);
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
