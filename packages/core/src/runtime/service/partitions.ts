/**
 * Owns which of a tool's gates a call uses, where calls are partitioned.
 *
 * Invariant: a call or turn keeps its partitions, also for work that outlives it.
 */
import type { ServiceContext } from './service-context.ts';

/** Returns the partition of a call's tool; `undefined` or an empty string: the one of all calls without a partition. */
export type PartitionOf = (toolName: string) => string | undefined;

/** Returns the partitions of a call or turn; `undefined`: it has none. Called once, when it is submitted. `id`: of the turn, or of a call without one. */
export type PartitionsOf = (id: string) => PartitionOf | undefined;

/** The context of one call or turn. */
export function contextFor(context: ServiceContext, id: string): ServiceContext {
  const partitionOf = context.partitionsOf?.(id);
  if (!partitionOf) return context;
  return {
    ...context,
    lastingRuntimeOf(toolName) {
      const tool = context.lastingRuntimeOf(toolName);
      const partition = tool && partitionOf(toolName);
      return partition ? context.partition(tool, partition, true) : tool;
    },
  };
}
