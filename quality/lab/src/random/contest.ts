/**
 * Owns a contest: every contender in one world with the same seeds, compared turn by turn with `none`.
 *
 * 1. Shares are taken over the turns of all seeds together.
 * 2. A rescued call does not count against its contender: `beside` compares only the turns that `none` answered too. In worlds with closed groups turns cannot be
 *    matched, and it compares all that were answered.
 */
import { simulate, type Contender, type EndedTurn, type World } from '@holdfast/simulate';

/** One contender's figures. */
export interface Entry {
  readonly contender: string;
  /** Turns that could succeed, and how many did. */
  readonly turns: number;
  readonly succeeded: number;
  readonly calls: number;
  readonly requests: number;
  /** Side effects of unsafe tools beyond the first of each call. */
  readonly duplicates: number;
  /** 99th percentile of turns that both this contender and `none` answered, as each of them did; `null` if there are none. */
  readonly beside: { readonly p99Ms: number; readonly noneP99Ms: number } | null;
}

export interface Contest {
  readonly world: World;
  readonly seeds: readonly string[];
  /** In the order of the contenders; `none` first. */
  readonly entries: readonly Entry[];
}

/** Fewer turns than this make differences of 1 % by chance. */
const ENOUGH_TURNS = 6_000;
const MOST_RUNS = 6;

/** How many runs of each contender a world needs. */
export function runsFor({ durationMs, agents }: World): number {
  const perSecond = agents.reduce((sum, { arrivals, count }) => sum + (arrivals.kind === 'open' ? arrivals.ratePerSecond : count / 5), 0);
  return Math.min(MOST_RUNS, Math.max(1, Math.ceil(ENOUGH_TURNS / ((perSecond * durationMs) / 1_000))));
}

/** `contenders`: `none` first. They are created anew for each run. */
export function contest(world: World, seeds: readonly string[], contenders: readonly (() => Contender)[]): Contest {
  const isClosed = world.agents.some(({ arrivals }) => arrivals.kind === 'closed');
  const answered = new Map<string, number>();
  const entries = contenders.map((create, index): Entry => {
    const sums = { turns: 0, succeeded: 0, calls: 0, requests: 0, duplicates: 0 };
    const own: number[] = [];
    const others: number[] = [];
    let contender = '';
    for (const seed of seeds) {
      const onTurnEnded = ({ id, startedAt, endedAt, succeeded, hopeless }: EndedTurn): void => {
        if (hopeless) return;
        sums.turns += 1;
        if (!succeeded) return;
        sums.succeeded += 1;
        const tookMs = endedAt - startedAt;
        const key = `${seed} ${id}`;
        if (index === 0) answered.set(key, tookMs);
        const besideMs = answered.get(key);
        if (isClosed) own.push(tookMs);
        else if (besideMs !== undefined) {
          own.push(tookMs);
          others.push(besideMs);
        }
      };
      const metrics = simulate(world, create(), seed, { onTurnEnded });
      ({ contender } = metrics);
      sums.calls += metrics.calls;
      sums.requests += metrics.requests;
      sums.duplicates += metrics.duplicates;
    }
    const p99Ms = p99(own);
    const noneP99Ms = p99(isClosed ? [...answered.values()] : others);
    return { contender, ...sums, beside: p99Ms === undefined || noneP99Ms === undefined ? null : { p99Ms, noneP99Ms } };
  });
  return { world, seeds, entries };
}

/** Nearest rank. */
function p99(values: number[]): number | undefined {
  values.sort((one, other) => one - other);
  return values[Math.ceil(0.99 * values.length) - 1];
}
