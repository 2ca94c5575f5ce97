/** Owns adding and subtracting records of a cluster, from two processes or from two points in time. */
import type { ClusterRecord, FailureRecord, StrategyCount } from './records.ts';

export const maxExamples = 10;
export const maxHours = 24;

/** Adds `added` to `kept`. Fields that cannot be added come from the later of them. */
export function mergeClusters(kept: ClusterRecord, added: ClusterRecord): ClusterRecord {
  const latest = added.last_seen >= kept.last_seen ? added : kept;
  return {
    ...latest,
    count: kept.count + added.count,
    first_seen: Math.min(kept.first_seen, added.first_seen),
    hours: mergeHours(kept.hours, added.hours),
    strategies: mergeStrategies(kept.strategies, added.strategies),
    calls_recovered: kept.calls_recovered + added.calls_recovered,
    calls_failed: kept.calls_failed + added.calls_failed,
    examples: mergeExamples(added.examples, kept.examples),
  };
}

/** Returns what was added to a cluster since the record `before`. */
export function differenceSince(before: ClusterRecord | undefined, now: ClusterRecord): ClusterRecord {
  if (!before) return now;
  const tried = new Map(before.strategies.map((each) => [each.strategy, each]));
  return {
    ...now,
    count: now.count - before.count,
    hours: Object.fromEntries(
      Object.entries(now.hours)
        .map(([hour, count]) => [hour, count - (before.hours[hour] ?? 0)] as const)
        .filter(([, count]) => count > 0),
    ),
    strategies: now.strategies.map(({ strategy, tried: times, succeeded }) => ({
      strategy,
      tried: times - (tried.get(strategy)?.tried ?? 0),
      succeeded: succeeded - (tried.get(strategy)?.succeeded ?? 0),
    })),
    calls_recovered: now.calls_recovered - before.calls_recovered,
    calls_failed: now.calls_failed - before.calls_failed,
  };
}

function mergeHours(kept: ClusterRecord['hours'], added: ClusterRecord['hours']): Readonly<Record<string, number>> {
  const sum: Record<string, number> = { ...kept };
  for (const [hour, count] of Object.entries(added)) sum[hour] = (sum[hour] ?? 0) + count;
  // Integer keys of an object come first, in ascending order.
  return Object.fromEntries(Object.entries(sum).slice(-maxHours));
}

function mergeStrategies(kept: readonly StrategyCount[], added: readonly StrategyCount[]): readonly StrategyCount[] {
  const sum = new Map(kept.map((each) => [each.strategy, each]));
  for (const { strategy, tried, succeeded } of added) {
    const before = sum.get(strategy);
    sum.set(strategy, { strategy, tried: tried + (before?.tried ?? 0), succeeded: succeeded + (before?.succeeded ?? 0) });
  }
  return [...sum.values()];
}

/** A later record of the same example is more complete, so it wins. */
function mergeExamples(later: readonly FailureRecord[], known: readonly FailureRecord[]): readonly FailureRecord[] {
  const keyOf = ({ turn_id, call_id, attempt, at }: FailureRecord): string => JSON.stringify([turn_id, call_id, attempt, at]);
  const all = new Map([...later, ...known].toReversed().map((each) => [keyOf(each), each]));
  return [...all.values()]
    .toReversed()
    .toSorted((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0))
    .slice(0, maxExamples);
}
