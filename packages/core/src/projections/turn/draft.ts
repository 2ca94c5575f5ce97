/** Owns the state of the fold: a mutable `TurnView`. */
import { checkRule } from '../../engine/settings/check.ts';
import type { CallView, Segment, SegmentKind, TurnView } from './turn-view.ts';
import { text } from './fields.ts';

type MutableLists<Type> = { -readonly [Key in keyof Type]: Type[Key] extends readonly (infer Item)[] ? Item[] : Type[Key] };

export type DraftSegment = { -readonly [Key in keyof Segment]: Segment[Key] };
export type DraftCall = Omit<MutableLists<CallView>, 'segments'> & { segments: DraftSegment[] };

export interface DraftTurn extends Omit<MutableLists<TurnView>, 'calls'> {
  calls: DraftCall[];
  readonly byId: Map<string, DraftCall>;
  /** Applied to every message that a tool, a model or a user wrote. */
  readonly message: (value: unknown, otherwise?: string) => string;
}

export interface CallEvent {
  readonly seq: number;
  readonly elapsed_ms: number;
  readonly call_id: string;
  readonly tool_id: string;
}

export function emptyTurn(clean: (message: string) => string): DraftTurn {
  return {
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
    single: true,
    events: 0,
    revision: 0,
    byId: new Map(),
    message: (value, otherwise = '') => clean(text(value, otherwise)),
  };
}

/** Returns the call of an event, and adds it when it is not in the plan. */
export function callOf(turn: DraftTurn, event: CallEvent): DraftCall {
  const callId = text(event.call_id, '?');
  return turn.byId.get(callId) ?? addCall(turn, callId, text(event.tool_id, callId));
}

export function addCall(turn: DraftTurn, callId: string, toolName: string): DraftCall {
  const call: DraftCall = {
    callId,
    toolName,
    index: turn.calls.length,
    planned: false,
    dependsOn: [],
    optional: false,
    critical: false,
    policy: undefined,
    status: 'waiting',
    startedMs: undefined,
    endedMs: undefined,
    currentTool: toolName,
    attempt: 0,
    maxAttempts: undefined,
    attempts: 0,
    retries: 0,
    segments: [],
    failures: [],
    decisions: [],
    alternatives: [],
    defaults: [],
    skip: undefined,
    escalation: undefined,
    progress: undefined,
    late: undefined,
    end: undefined,
    input: undefined,
    output: undefined,
    events: [],
    revision: 0,
  };
  turn.calls.push(call);
  turn.byId.set(callId, call);
  return call;
}

const segmentKinds = ['dependency', 'place', 'prepare', 'queue', 'attempt', 'backoff', 'late'] satisfies readonly SegmentKind[];

/** A segment about which nothing else is known: it lasts, and belongs to no attempt. */
export function emptySegment(kind: SegmentKind, startMs: number): Segment {
  checkRule(segmentKinds, kind, 'emptySegment: kind');
  checkRule('number', startMs, 'emptySegment: startMs');
  return {
    kind,
    startMs,
    endMs: undefined,
    plannedEndMs: undefined,
    toolName: '',
    attempt: 0,
    result: 'none',
    hedge: false,
    probe: false,
    alternative: false,
    timeoutMs: undefined,
    circuit: '',
    wait: '',
    heldMs: undefined,
    code: '',
    stopped: false,
  };
}

export function newSegment(kind: SegmentKind, startMs: number, more: Partial<Segment> = {}): DraftSegment {
  return { ...emptySegment(kind, startMs), ...more };
}

/** Ends the current waits. */
export function endWaits(call: DraftCall, atMs: number): void {
  for (const segment of call.segments) {
    if (segment.endMs === undefined && waits.has(segment.kind)) segment.endMs = Math.max(segment.startMs, atMs);
  }
}

const waits: ReadonlySet<SegmentKind> = new Set<SegmentKind>(['backoff', 'queue', 'prepare']);
