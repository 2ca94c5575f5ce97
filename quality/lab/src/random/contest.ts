/**
 * Owns a contest: every contender in one world with the same seeds, compared turn by turn with `none`.
 *
 * 1. Shares are taken over the turns of all seeds together.
 * 2. A rescued call does not count against its contender: `beside` compares only the turns that `none` answered too. Turns of closed groups cannot be matched:
 *    where there are only such groups, the slowest that exceed the share of `none` are taken for the rescued ones.
 */
import { simulate, type AgentGroup, type Contender, type EndedTurn, type Service, type World } from '@holdfast/simulate';
import { meanOf } from './mean.ts';

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
const MOST_RUNS = 24;

/** How many runs of each contender a world needs. */
export function runsFor({ durationMs, agents, services, tools }: World): number {
  const turnsOf = ({ arrivals, count, turn }: AgentGroup): number => {
    if (arrivals.kind === 'open') return (arrivals.ratePerSecond * durationMs) / 1_000;
    const workMs = turn.reduce((sum, { toolName }) => sum + meanLatency(services[tools[toolName]?.service ?? '']), 0);
    return (count * durationMs) / (meanOf(arrivals.think) + workMs);
  };
  const turns = agents.reduce((sum, group) => sum + turnsOf(group), 0);
  return Math.min(MOST_RUNS, Math.max(1, Math.ceil(ENOUGH_TURNS / turns)));
}

const meanLatency = (service: Service | undefined): number => (service ? meanOf(service.latency) : 0);

/** `contenders`: `none` first. They are created anew for each run. */
export function contest(world: World, seeds: readonly string[], contenders: readonly (() => Contender)[]): Contest {
  const isOpen = world.agents.map(({ arrivals }) => arrivals.kind === 'open');
  const isMatched = isOpen.includes(true);
  const answered = new Map<string, number>();
  let noneShare = 1;
  const entries = contenders.map((create, index): Entry => {
    const sums = { turns: 0, succeeded: 0, calls: 0, requests: 0, duplicates: 0 };
    const own: number[] = [];
    const others: number[] = [];
    let contender = '';
    for (const seed of seeds) {
      const onTurnEnded = ({ id, group, startedAt, endedAt, succeeded, hopeless }: EndedTurn): void => {
        if (hopeless) return;
        sums.turns += 1;
        if (!succeeded) return;
        sums.succeeded += 1;
        if (isMatched && isOpen[group] !== true) return;
        const tookMs = endedAt - startedAt;
        const key = `${seed} ${id}`;
        if (index === 0) answered.set(key, tookMs);
        const besideMs = answered.get(key);
        if (!isMatched) own.push(tookMs);
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
    if (index === 0) noneShare = sums.succeeded / Math.max(1, sums.turns);
    const p99Ms = p99(isMatched ? own : own.toSorted(ascending).slice(0, Math.ceil(noneShare * sums.turns)));
    const noneP99Ms = p99(isMatched ? others : [...answered.values()]);
    return { contender, ...sums, beside: p99Ms === undefined || noneP99Ms === undefined ? null : { p99Ms, noneP99Ms } };
  });
  return { world, seeds, entries };
}

/** Nearest rank. */
function p99(values: readonly number[]): number | undefined {
  return values.toSorted(ascending)[Math.ceil(0.99 * values.length) - 1];
}

const ascending = (one: number, other: number): number => one - other;
