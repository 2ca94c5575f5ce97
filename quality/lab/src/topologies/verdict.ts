/**
 * Owns the bars of a scenario in a topology: the contender under test is not worse than no layer, recovers, and is close to the best.
 *
 * 1. A contender that does unsafe work twice is no rival there: it buys success with payments made twice.
 * 2. Nothing has to recover where nothing else does.
 */
import type { Standing } from '@holdfast/simulate/report';

export interface TopologyVerdict {
  /** Name of the scenario. */
  readonly world: string;
  readonly processes: number;
  readonly own: Standing;
  readonly none: Standing;
  /** The rival with the highest success. */
  readonly best: Standing;
  /** Success at most 1 % below that of `none`. */
  readonly isHarmless: boolean;
  readonly recovers: boolean;
  /** Success at most 3 % below that of the best. */
  readonly isNearBest: boolean;
}

const HARMLESS = 0.01;
const NEAR = 0.03;

/** `standings`: of one scenario in one topology. `bounds`: contenders that know the future. */
export function topologyVerdict(
  { world, processes }: { readonly world: string; readonly processes: number },
  standings: readonly Standing[],
  judged: string,
  bounds: readonly string[] = ['oracle'],
): TopologyVerdict | undefined {
  const own = standings.find(({ contender }) => contender === judged);
  const none = standings.find(({ contender }) => contender === 'none');
  if (!own || !none) return undefined;
  const rivals = standings.filter(
    ({ contender, duplicates }) => contender !== judged && !bounds.includes(contender) && (duplicates?.mean ?? 0) === 0,
  );
  const best = rivals.reduce((one, other) => (successOf(other) > successOf(one) ? other : one), none);
  const othersRecover = rivals.some(({ neverRecovered }) => neverRecovered === 0);
  return {
    world,
    processes,
    own,
    none,
    best,
    isHarmless: successOf(own) >= successOf(none) - HARMLESS,
    recovers: own.neverRecovered === 0 || !othersRecover,
    isNearBest: successOf(own) >= successOf(best) - NEAR,
  };
}

export const isMet = ({ isHarmless, recovers, isNearBest }: TopologyVerdict): boolean => isHarmless && recovers && isNearBest;

/** The bars that are missed, in words. */
export function missedBars({ isHarmless, recovers, isNearBest }: TopologyVerdict): readonly string[] {
  return [
    ...(isHarmless ? [] : ['more than 1 % below `none`']),
    ...(recovers ? [] : ['does not recover']),
    ...(isNearBest ? [] : ['more than 3 % below the best']),
  ];
}

export const successOf = ({ success }: Standing): number => success?.mean ?? 0;
