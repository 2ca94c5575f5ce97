/** Owns the page about every scenario in every topology. */
import { markdownTable, percent, type RunDescription } from '@holdfast/simulate/report';
import { isMet, missedBars, successOf, type TopologyVerdict } from './verdict.ts';

/** `verdicts`: of every scenario in every topology. `alone`: how many seeds the runs in one process have. */
export function topologiesPage(verdicts: readonly TopologyVerdict[], alone: string, { command, seeds }: RunDescription): string {
  const topologies = [...new Set(verdicts.map(({ processes }) => processes))];
  const worlds = [...new Set(verdicts.map(({ world }) => world))];
  const missed = verdicts.filter((verdict) => !isMet(verdict));
  return `${[
    '# Lab: every scenario in every topology',
    `Written by \`${command}\` (seeds \`${seeds[0]}\` to \`${seeds.at(-1)}\`; ${alone}), never by hand.`,
    `The agents of a scenario share one process, or are spread over 10, 60 or 200 processes that share nothing: each has its own circuits, limits, budgets and
memory. Arrivals, durations and faults are the same in all of them. In every scenario and topology \`adaptive\` is to be at most 1 % below no layer, to recover, and to be
within 3 % of the best of the others.`,
    `${verdicts.length - missed.length} of ${verdicts.length} combinations meet this.`,
    ...(missed.length > 0 ? ['## Missed', missedTable(missed)] : []),
    '## Success, %',
    `\`adaptive\`, then \`none\`, then the best of the others. **Bold**: missed.`,
    markdownTable(
      ['scenario', ...topologies.map((count) => (count === 1 ? '1 process' : `${count} processes`))],
      worlds.map((world) => [
        `[${world}](./${world}.md)`,
        ...topologies.map((count) => cellOf(verdicts.find((verdict) => verdict.world === world && verdict.processes === count))),
      ]),
    ),
  ].join('\n\n')}\n`;
}

function missedTable(missed: readonly TopologyVerdict[]): string {
  return markdownTable(
    ['scenario', 'processes', 'missed', 'adaptive %', 'none %', 'best %', 'requests/call'],
    missed.map((verdict) => [
      verdict.world,
      String(verdict.processes),
      missedBars(verdict).join(', '),
      percent(successOf(verdict.own)),
      percent(successOf(verdict.none)),
      `${percent(successOf(verdict.best))} (${verdict.best.contender})`,
      verdict.own.requestsPerCall?.mean.toFixed(2) ?? '–',
    ]),
    false,
  );
}

function cellOf(verdict: TopologyVerdict | undefined): string {
  if (!verdict) return '–';
  const own = percent(successOf(verdict.own));
  return `${isMet(verdict) ? own : `**${own}**`} · ${percent(successOf(verdict.none))} · ${percent(successOf(verdict.best))}`;
}
