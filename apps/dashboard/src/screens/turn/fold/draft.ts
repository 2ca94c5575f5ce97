/** Owns the calls of a turn while they are folded: the same as a `CallView`, open to change. */
import type { CallView, Segment, SegmentKind, TurnView } from './turn-view.ts';
import { text } from './read.ts';

type Open<Type> = { -readonly [Key in keyof Type]: Type[Key] extends readonly (infer Item)[] ? Item[] : Type[Key] };

export type DraftSegment = { -readonly [Key in keyof Segment]: Segment[Key] };
export type DraftCall = Omit<Open<CallView>, 'segments'> & { segments: DraftSegment[] };
export type DraftTurn = Omit<Open<TurnView>, 'calls'> & {
  calls: DraftCall[];
  byId: Map<string, DraftCall>;
};

interface Stamped {
  readonly seq: number;
  readonly elapsed_ms: number;
}

export interface CallEvent extends Stamped {
  readonly call_id: string;
  readonly tool_id: string;
}

export const emptyTurn = (): DraftTurn => ({
  turnId: '',
  status: 'empty',
  outcome: undefined,
  startedAt: '',
  elapsedMs: 0,
  durationMs: undefined,
  timeoutMs: undefined,
  deadlineReachedMs: undefined,
  cancelledMs: undefined,
  onDeadline: 'detach',
  maxRetries: undefined,
  concurrency: undefined,
  profile: '',
  seed: '',
  calls: [],
  circuits: [],
  circuitsAtStart: [],
  criticalPath: [],
  summary: '',
  escalated: false,
  faults: [],
  settings: {},
  baseSettings: undefined,
  lone: true,
  events: 0,
  revision: 0,
  byId: new Map(),
});

/** The call of an event; made when the trace has lost its plan. */
export function callOf(turn: DraftTurn, event: CallEvent): DraftCall {
  const callId = text(event.call_id, '?');
  const known = turn.byId.get(callId);
  if (known) return known;
  const call = newCall(callId, text(event.tool_id, callId), turn.calls.length);
  turn.calls.push(call);
  turn.byId.set(callId, call);
  return call;
}

export const newCall = (callId: string, toolId: string, index: number): DraftCall => ({
  callId,
  toolId,
  index,
  planned: false,
  dependsOn: [],
  optional: false,
  critical: false,
  policy: undefined,
  status: 'waiting',
  startedMs: undefined,
  endedMs: undefined,
  segments: [],
  failures: [],
  decisions: [],
  alternatives: [],
  defaults: [],
  skip: undefined,
  escalation: undefined,
  end: undefined,
  input: undefined,
  output: undefined,
  progress: '',
  events: [],
  revision: 0,
});

export function newSegment(kind: SegmentKind, startMs: number, more: Partial<Segment> = {}): DraftSegment {
  return {
    kind,
    startMs,
    endMs: undefined,
    plannedEndMs: undefined,
    toolId: '',
    attempt: 0,
    result: 'none',
    hedge: false,
    probe: false,
    alternative: false,
    timeoutMs: undefined,
    circuit: '',
    wait: '',
    code: '',
    ...more,
  };
}

/** Ends whatever of these kinds still goes on. */
export function endOpen(call: DraftCall, atMs: number, picked: (segment: DraftSegment) => boolean): void {
  for (const segment of call.segments) if (segment.endMs === undefined && picked(segment)) segment.endMs = Math.max(segment.startMs, atMs);
}

export const isWait = ({ kind }: DraftSegment): boolean => kind === 'backoff' || kind === 'queue' || kind === 'prepare';
