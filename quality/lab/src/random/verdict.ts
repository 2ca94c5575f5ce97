/**
 * Owns what a contest says about the contender under test, and the bars over many of them.
 *
 * 1. Two shares of success are equal when they differ by at most 1 %.
 * 2. Where a tool is unsafe, only `none` is a rival: the peers repeat what must not be repeated, whether it shows or not.
 */
import type { Contest, Entry } from './contest.ts';

export interface Verdict {
  readonly contest: Contest;
  readonly own: Entry;
  readonly none: Entry;
  /** The rival with the highest success. */
  readonly best: Entry;
  /** How much higher the success of `none` and of the best rival is; below 0 where it is lower. */
  readonly regret: { readonly none: number; readonly best: number };
  /** How much fewer turns succeed than with `none`, as a share: differs from the regret where agents wait for their answers. */
  readonly lostWork: number;
  /** Own p99 by that of `none`, over the turns that both answered. */
  readonly p99Ratio: number | null;
  readonly requestsPerCall: number;
  /** Of the cheapest that reaches the same success, this one included. */
  readonly cheapest: number;
}

const equal = 0.01;

export const successOf = ({ succeeded, turns }: Entry): number => (turns === 0 ? 1 : succeeded / turns);
export const requestsOf = ({ requests, calls }: Entry): number => (calls === 0 ? 0 : requests / calls);

export function verdictOf(contest: Contest, judged: string): Verdict | undefined {
  const own = contest.entries.find(({ contender }) => contender === judged);
  const none = contest.entries.find(({ contender }) => contender === 'none');
  if (!own || !none) return undefined;
  const isUnsafe = Object.values(contest.world.tools).some(({ effect }) => effect === 'unsafe');
  const rivals = contest.entries.filter(({ contender }) => contender !== judged && (contender === 'none' || !isUnsafe));
  const best = rivals.reduce((one, other) => (successOf(other) > successOf(one) ? other : one), none);
  const success = successOf(own);
  const matching = [own, ...rivals].filter((each) => successOf(each) >= success - equal);
  return {
    contest,
    own,
    none,
    best,
    regret: { none: successOf(none) - success, best: successOf(best) - success },
    lostWork: none.succeeded === 0 ? 0 : 1 - own.succeeded / none.succeeded,
    p99Ratio: own.beside && own.beside.p99Ms / own.beside.noneP99Ms,
    requestsPerCall: requestsOf(own),
    cheapest: Math.min(...matching.map(requestsOf)),
  };
}

const isWorse = ({ regret }: Verdict, by = equal): boolean => regret.none > by;
const isSlower = ({ regret, p99Ratio }: Verdict): boolean => Math.abs(regret.none) <= equal && p99Ratio !== null && p99Ratio > 2;
const isCostly = ({ requestsPerCall, cheapest }: Verdict): boolean => requestsPerCall > 1.25 && requestsPerCall > 1.03 * cheapest;

/** One bar over all worlds. */
export interface Bar {
  readonly wanted: string;
  readonly most: number;
  readonly broken: readonly Verdict[];
}

export function barsOf(verdicts: readonly Verdict[]): readonly Bar[] {
  return [
    { wanted: 'success more than 1 % below `none`', most: 0.01, broken: verdicts.filter((verdict) => isWorse(verdict)) },
    {
      wanted: 'equal success, and p99 of what `none` answered too more than twice that of `none`',
      most: 0.03,
      broken: verdicts.filter(isSlower),
    },
    {
      wanted: 'requests per call above 1.25 and more than 3 % above the cheapest with the same success',
      most: 0.03,
      broken: verdicts.filter(isCostly),
    },
  ];
}
