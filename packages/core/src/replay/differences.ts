/** Owns the comparison of decisions between two traces of a turn. */
import type { Decision } from '../recover/decision.ts';
import type { RecoveryDecided, TraceEvent } from '../trace/events.ts';

/** One place where the two went different ways. */
export interface ReplayDifference {
  readonly callId: string;
  /** The how-manieth decision of the call, from 1. */
  readonly position: number;
  readonly recorded: Decision | undefined;
  readonly replayed: Decision | undefined;
}

export function compareDecisions(recorded: readonly TraceEvent[], replayed: readonly TraceEvent[]): readonly ReplayDifference[] {
  const before = decisionsByCall(recorded);
  const after = decisionsByCall(replayed);
  return [...new Set([...before.keys(), ...after.keys()])].toSorted().flatMap((callId) => {
    const old = before.get(callId) ?? [];
    const made = after.get(callId) ?? [];
    const length = Math.max(old.length, made.length);
    return Array.from({ length }, (_, index) => ({ callId, position: index + 1, recorded: old[index], replayed: made[index] })).filter(
      (pair) => !sameDecision(pair.recorded, pair.replayed),
    );
  });
}

/** Decisions made again one by one, each from its own recorded inputs. */
export function compareRemade(
  remade: readonly { readonly event: RecoveryDecided; readonly decision: Decision }[],
): readonly ReplayDifference[] {
  const positions = new Map<string, number>();
  return remade.flatMap(({ event, decision }) => {
    const position = (positions.get(event.call_id) ?? 0) + 1;
    positions.set(event.call_id, position);
    return sameDecision(event.decision, decision)
      ? []
      : [{ callId: event.call_id, position, recorded: event.decision, replayed: decision }];
  });
}

function decisionsByCall(events: readonly TraceEvent[]): ReadonlyMap<string, readonly Decision[]> {
  const calls = new Map<string, Decision[]>();
  for (const event of events) {
    if (event.event_type !== 'RecoveryDecided') continue;
    const own = calls.get(event.call_id);
    if (own) own.push(event.decision);
    else calls.set(event.call_id, [event.decision]);
  }
  return calls;
}

function sameDecision(a: Decision | undefined, b: Decision | undefined): boolean {
  return a?.action === b?.action && a?.alternative === b?.alternative && a?.delay_ms === b?.delay_ms && a?.stopped_by === b?.stopped_by;
}
