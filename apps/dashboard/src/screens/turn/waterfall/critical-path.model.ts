/** The critical path of the turn: as recorded, or computed from the calls so far while the turn runs. */
import type { CallView, TurnView } from '@holdfast/core/turn-view';

export function findCriticalPath({ criticalPath: recorded, calls, elapsedMs }: TurnView): readonly string[] {
  if (recorded.length > 0) return recorded;
  const byId = new Map(calls.map((call) => [call.callId, call]));
  const endOf = (call: CallView): number => call.endedMs ?? (call.startedMs === undefined ? -1 : elapsedMs);
  const last = (among: readonly CallView[]): CallView | undefined =>
    among.filter(({ startedMs }) => startedMs !== undefined).toSorted((a, b) => endOf(b) - endOf(a) || a.index - b.index)[0];
  const chain: string[] = [];
  for (let call = last(calls); call !== undefined && !chain.includes(call.callId);) {
    chain.unshift(call.callId);
    call = last(call.dependsOn.flatMap((needed) => byId.get(needed) ?? []));
  }
  return chain;
}
