/** Owns the text about contests in generated worlds: bars, distribution of regret, and the worst worlds. */
import { markdownTable } from '@holdfast/simulate/report';
import type { Contest } from './contest.ts';
import { describeWorld, seconds } from './describe.ts';
import { barsOf, requestsOf, successOf, verdictOf, type Verdict } from './verdict.ts';

const WORST = 20;

/** `judged`: the contender under test. */
export function randomReport(contests: readonly Contest[], judged: string): string {
  const verdicts = contests.map((each) => verdictOf(each, judged)).filter((verdict) => verdict !== undefined);
  const parts = [`${verdicts.length} generated worlds`, barTable(verdicts), regretTable(verdicts), policyTable(contests)];
  if (contests.length <= 3) parts.push(...contests.map(contestTable));
  parts.push(`The worlds with the highest regret against \`none\`, then against the best`, worstTable(verdicts));
  return parts.join('\n\n');
}

export function barTable(verdicts: readonly Verdict[]): string {
  return markdownTable(
    ['in how many worlds', 'at most', 'seen', '', 'worlds'],
    barsOf(verdicts).map(({ wanted, most, broken }) => [
      wanted,
      `${most * 100} %`,
      `${broken.length} of ${verdicts.length} (${percent(broken.length / Math.max(1, verdicts.length))} %)`,
      broken.length <= most * verdicts.length ? 'met' : '**missed**',
      broken
        .slice(0, 8)
        .map(({ contest }) => seedOf(contest))
        .join(' '),
    ]),
    false,
  );
}

const shares = [0, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1] as const;

export function regretTable(verdicts: readonly Verdict[]): string {
  const rows: readonly (readonly [string, (verdict: Verdict) => number | null, (value: number) => string])[] = [
    ['success below `none`, points', ({ regret }) => regret.none, percent],
    ['success below the best, points', ({ regret }) => regret.best, percent],
    ['fewer successes than `none`, %', ({ lostWork }) => lostWork, percent],
    ['p99 by that of `none`, where both answered', ({ p99Ratio }) => p99Ratio, (value) => value.toFixed(2)],
    ['requests per call', ({ requestsPerCall }) => requestsPerCall, (value) => value.toFixed(2)],
  ];
  return markdownTable(
    ['quantile', ...shares.map((share) => `${share * 100} %`)],
    rows.map(([name, of, format]) => {
      const values = verdicts
        .map(of)
        .filter((value) => value !== null)
        .toSorted((one, other) => one - other);
      return [name, ...shares.map((share) => format(values[Math.max(0, Math.ceil(share * values.length) - 1)] ?? 0))];
    }),
  );
}

/** Means over the worlds. */
export function policyTable(contests: readonly Contest[]): string {
  const names = contests[0]?.entries.map(({ contender }) => contender) ?? [];
  return markdownTable(
    ['policy', 'mean success %', 'worse than `none` by 1 %, % of worlds', 'requests/call'],
    names.map((name) => {
      const verdicts = contests.map((each) => verdictOf(each, name)).filter((verdict) => verdict !== undefined);
      const mean = (of: (verdict: Verdict) => number): number => verdicts.reduce((sum, verdict) => sum + of(verdict), 0) / verdicts.length;
      return [
        name,
        percent(mean(({ own }) => successOf(own))),
        percent(mean(({ regret }) => (regret.none > 0.01 ? 1 : 0))),
        mean(({ own }) => requestsOf(own)).toFixed(2),
      ];
    }),
  );
}

function contestTable(contest: Contest): string {
  return `${describeWorld(contest.world)}\n\n${markdownTable(
    ['policy', 'success %', 'succeeded', 'requests/call', 'p99 beside none', 'of none', 'done twice'],
    contest.entries.map((entry) => [
      entry.contender,
      percent(successOf(entry)),
      String(entry.succeeded),
      requestsOf(entry).toFixed(2),
      entry.beside ? seconds(entry.beside.p99Ms) : '–',
      entry.beside ? seconds(entry.beside.noneP99Ms) : '–',
      String(entry.duplicates),
    ]),
  )}`;
}

export function worstTable(verdicts: readonly Verdict[]): string {
  const worst = verdicts.toSorted((one, other) => keyOf(other) - keyOf(one)).slice(0, WORST);
  return markdownTable(
    ['seed', 'none %', 'own %', 'best %', 'p99 ratio', 'requests/call', 'world'],
    worst.map(({ contest, none, own, best, p99Ratio, requestsPerCall }) => [
      seedOf(contest),
      percent(successOf(none)),
      percent(successOf(own)),
      `${percent(successOf(best))} (${best.contender})`,
      p99Ratio === null ? '–' : p99Ratio.toFixed(1),
      requestsPerCall.toFixed(2),
      describeWorld(contest.world),
    ]),
    false,
  );
}

/** Those above 1 % below `none` first, then by the regret against the best. */
function keyOf({ regret }: Verdict): number {
  return regret.none > 0.01 ? 1 + regret.none : regret.best;
}

const seedOf = ({ world }: Contest): string => world.name.replace(/^random /, '');
const percent = (share: number): string => (share * 100).toFixed(1);
