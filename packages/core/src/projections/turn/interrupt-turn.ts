/** Owns the view of a turn whose process ended before the turn did: what its record shows as running does not run any more. */
import { arrayRule, checkShape } from '../../engine/settings/check.ts';
import type { CallView, Segment, TurnView } from './turn-view.ts';

/** Returns the view with everything that was still open cut off at its latest event. The view of a turn that has ended is returned as it is. */
export function interruptTurn(view: TurnView): TurnView {
  checkShape({ calls: arrayRule, elapsedMs: 'number' }, view, 'interruptTurn: view');
  if (view.status === 'completed') return view;
  return { ...view, calls: view.calls.map((call) => interruptCall(call, view.elapsedMs)) };
}

function interruptCall(call: CallView, atMs: number): CallView {
  if (call.end !== undefined || call.status === 'skipped') return call;
  const started = call.startedMs !== undefined;
  return {
    ...call,
    status: started ? 'interrupted' : 'not_run',
    progress: undefined,
    segments: call.segments.map((segment) => interruptSegment(segment, atMs)),
    ...(started ? { endedMs: atMs } : {}),
    ...(call.late === 'running' ? { late: undefined } : {}),
  };
}

function interruptSegment(segment: Segment, atMs: number): Segment {
  if (segment.endMs !== undefined) return segment;
  return { ...segment, endMs: Math.max(segment.startMs, atMs), result: segment.kind === 'attempt' ? 'interrupted' : segment.result };
}
