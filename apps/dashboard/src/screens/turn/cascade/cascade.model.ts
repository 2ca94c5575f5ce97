/** How failures spread in a turn: the dependencies, the cause of each skipped call, and the impact of each failure. */
import type { CallStatus, CallView, TurnView } from '@holdfast/core/turn-view';
import { type Layout, computeLayout } from './layout.ts';

export interface CascadeNode {
  readonly callId: string;
  readonly toolName: string;
  readonly status: CallStatus;
  readonly optional: boolean;
  readonly critical: boolean;
  readonly escalated: boolean;
  /** The calls whose outputs were replaced by defaults. */
  readonly defaults: readonly string[];
  /** For a skipped call: the chain from the direct cause to the root cause. */
  readonly causedBy: readonly string[];
  /** The number of calls that were skipped because of it, directly or indirectly. */
  readonly skippedCount: number;
  /** The number of calls that used a default because of it. */
  readonly defaultedCount: number;
}

export interface CascadeEdge {
  readonly from: string;
  readonly to: string;
  /** `broken`: the call was skipped because of it; `default`: a default was used. */
  readonly kind: 'met' | 'broken' | 'default' | 'open';
}

export interface RootCause {
  readonly callId: string;
  readonly toolName: string;
  readonly code: string;
  readonly error: string;
  readonly skipped: readonly string[];
  readonly defaulted: readonly string[];
}

export interface Cascade {
  readonly nodes: readonly CascadeNode[];
  readonly edges: readonly CascadeEdge[];
  /** Those with the largest impact first. */
  readonly roots: readonly RootCause[];
  /** Absent if there are too many nodes for a readable graph. */
  readonly layout: Layout | undefined;
}

const maxNodes = 300;

export function buildCascade({ calls }: TurnView): Cascade {
  const byId = new Map(calls.map((call) => [call.callId, call]));
  const skippedBy = new Map<string, string[]>();
  const defaultedBy = new Map<string, string[]>();
  for (const call of calls) {
    for (const cause of call.skip?.causedBy ?? []) add(skippedBy, cause, call.callId);
    for (const needed of call.defaults) if (needed !== '') add(defaultedBy, needed, call.callId);
  }
  const nodes = calls.map((call) => nodeOf(call, skippedBy, defaultedBy));
  const edges = calls.flatMap((call) => call.dependsOn.filter((needed) => byId.has(needed)).map((needed) => edgeOf(call, needed, byId)));
  const names = calls.map(({ callId }) => callId);
  return {
    nodes,
    edges,
    roots: rootsOf(calls, skippedBy, defaultedBy),
    layout: calls.length > maxNodes ? undefined : computeLayout(names, edges),
  };
}

const add = (to: Map<string, string[]>, key: string, value: string): void => void to.set(key, [...(to.get(key) ?? []), value]);

type CallsByCause = ReadonlyMap<string, readonly string[]>;

const nodeOf = (call: CallView, skippedBy: CallsByCause, defaultedBy: CallsByCause): CascadeNode => ({
  callId: call.callId,
  toolName: call.toolName,
  status: call.status,
  optional: call.optional,
  critical: call.critical,
  escalated: call.escalation !== undefined,
  defaults: call.defaults.filter((needed) => needed !== ''),
  causedBy: call.skip?.causedBy ?? [],
  skippedCount: skippedBy.get(call.callId)?.length ?? 0,
  defaultedCount: defaultedBy.get(call.callId)?.length ?? 0,
});

function edgeOf(call: CallView, needed: string, byId: ReadonlyMap<string, CallView>): CascadeEdge {
  const kind = call.skip?.causedBy[0] === needed ? 'broken' : call.defaults.includes(needed) ? 'default' : undefined;
  const met = byId.get(needed)?.status === 'success';
  return { from: needed, to: call.callId, kind: kind ?? (met ? 'met' : 'open') };
}

/** Calls that failed themselves, those with the largest impact first. */
function rootsOf(calls: readonly CallView[], skippedBy: CallsByCause, defaultedBy: CallsByCause): readonly RootCause[] {
  return calls
    .filter(
      ({ status, skip }) =>
        skip === undefined && (status === 'error' || status === 'timeout' || status === 'cancelled' || status === 'not_run'),
    )
    .map((call) => ({
      callId: call.callId,
      toolName: call.toolName,
      code: call.end?.code ?? '',
      error: call.end?.error ?? '',
      skipped: skippedBy.get(call.callId) ?? [],
      defaulted: defaultedBy.get(call.callId) ?? [],
    }))
    .toSorted((a, b) => b.skipped.length - a.skipped.length || b.defaulted.length - a.defaulted.length);
}
