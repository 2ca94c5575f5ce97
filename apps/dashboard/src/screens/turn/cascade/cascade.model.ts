/** Owns how failures spread over a turn: who depends on whom, which failure each skipped call goes back to, how far each failure reached. */
import type { CallStatus, CallView, TurnView } from '@holdfast/core/turn-view';
import { type Layout, layeredLayout } from './layout.ts';

export interface CascadeNode {
  readonly callId: string;
  readonly toolName: string;
  readonly status: CallStatus;
  readonly optional: boolean;
  readonly critical: boolean;
  readonly escalated: boolean;
  /** It ran on a default in the place of these calls' outputs. */
  readonly defaults: readonly string[];
  /** For a skipped call: from the direct cause to the first. */
  readonly causedBy: readonly string[];
  /** Calls that were skipped because of it, directly or not. */
  readonly blast: number;
  /** Calls that ran on a default because of it. */
  readonly stoodIn: number;
}

export interface CascadeEdge {
  readonly from: string;
  readonly to: string;
  /** `broken`: the call was skipped for it; `default`: a default stood in. */
  readonly kind: 'met' | 'broken' | 'default' | 'open';
}

export interface RootCause {
  readonly callId: string;
  readonly toolName: string;
  readonly code: string;
  readonly error: string;
  readonly skipped: readonly string[];
  readonly stoodIn: readonly string[];
}

export interface Cascade {
  readonly nodes: readonly CascadeNode[];
  readonly edges: readonly CascadeEdge[];
  /** Those with the widest reach first. */
  readonly roots: readonly RootCause[];
  /** Absent beyond so many nodes that nobody would read it. */
  readonly layout: Layout | undefined;
}

const mostNodes = 300;

export function cascade({ calls }: TurnView): Cascade {
  const byId = new Map(calls.map((call) => [call.callId, call]));
  const skippedBy = new Map<string, string[]>();
  const stoodInFor = new Map<string, string[]>();
  for (const call of calls) {
    for (const cause of call.skip?.causedBy ?? []) add(skippedBy, cause, call.callId);
    for (const needed of call.defaults) if (needed !== '') add(stoodInFor, needed, call.callId);
  }
  const nodes = calls.map((call) => nodeOf(call, skippedBy, stoodInFor));
  const edges = calls.flatMap((call) => call.dependsOn.filter((needed) => byId.has(needed)).map((needed) => edgeOf(call, needed, byId)));
  const names = calls.map(({ callId }) => callId);
  return {
    nodes,
    edges,
    roots: rootsOf(calls, skippedBy, stoodInFor),
    layout: calls.length > mostNodes ? undefined : layeredLayout(names, edges),
  };
}

const add = (to: Map<string, string[]>, key: string, value: string): void => void to.set(key, [...(to.get(key) ?? []), value]);

type Reached = ReadonlyMap<string, readonly string[]>;

const nodeOf = (call: CallView, skippedBy: Reached, stoodInFor: Reached): CascadeNode => ({
  callId: call.callId,
  toolName: call.toolName,
  status: call.status,
  optional: call.optional,
  critical: call.critical,
  escalated: call.escalation !== undefined,
  defaults: call.defaults.filter((needed) => needed !== ''),
  causedBy: call.skip?.causedBy ?? [],
  blast: skippedBy.get(call.callId)?.length ?? 0,
  stoodIn: stoodInFor.get(call.callId)?.length ?? 0,
});

function edgeOf(call: CallView, needed: string, byId: ReadonlyMap<string, CallView>): CascadeEdge {
  const kind = call.skip?.causedBy[0] === needed ? 'broken' : call.defaults.includes(needed) ? 'default' : undefined;
  const met = byId.get(needed)?.status === 'success';
  return { from: needed, to: call.callId, kind: kind ?? (met ? 'met' : 'open') };
}

/** Calls that failed themselves. Those that took others along come first. */
function rootsOf(calls: readonly CallView[], skippedBy: Reached, stoodInFor: Reached): readonly RootCause[] {
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
      stoodIn: stoodInFor.get(call.callId) ?? [],
    }))
    .toSorted((a, b) => b.skipped.length - a.skipped.length || b.stoodIn.length - a.stoodIn.length);
}
