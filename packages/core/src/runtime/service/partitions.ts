/**
 * Owns which of a tool's gates a call uses, where calls are partitioned.
 *
 * Invariant: a call or turn keeps its partitions, also for work that outlives it.
 */
import type { ServiceContext } from './service-context.ts';

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
