/** Owns the page about generated worlds. */
import type { Contest } from './contest.ts';
import { barTable, policyTable, regretTable, worstTable } from './report.ts';
import { verdictOf } from './verdict.ts';

/** `seed`: of the worlds, which are `<seed>-1` and so on. */
export function randomPage(contests: readonly Contest[], seed: string): string {
  const verdicts = contests.map((each) => verdictOf(each, 'adaptive')).filter((verdict) => verdict !== undefined);
  return `${[
    '# Lab: worlds that nobody has seen',
    `Written by \`npm run lab -- --random ${contests.length} --seed ${seed} --write\`, never by hand. The same command writes the same figures on every machine.`,
    `${contests.length} worlds are drawn from a seed, out of every family of faults, loads, latencies, limits, hints and topologies that the lab knows, one to three faults at a time. A
full run draws a new seed. In each world every policy gets the same arrivals, durations and faults, with as many seeds as it takes for 6,000 turns. One world again:
\`npm run lab -- --random-world ${seed}-1\`.`,
    '## Bars of `adaptive`',
    `Equal success: a difference of at most 1 %. Where a tool is unsafe, only \`none\` is a rival, since the peers repeat what must not be repeated.`,
    barTable(verdicts),
    '## Distribution over the worlds',
    regretTable(verdicts),
    '## Every policy',
    policyTable(contests),
    '## The worst worlds',
    `Those with the highest regret against \`none\`, where it is above 1 %, then those with the highest regret against the best of the others.`,
    worstTable(verdicts),
  ].join('\n\n')}\n`;
}
