/** Owns reading the traces for a what-if: which can be evaluated, in the order in which they began, and which are left out for which reason. */

import { turnEndOf, type ToolError } from '@holdfast/core/trace';
import { readRecording, type Recording } from '@holdfast/core/replay';
import { seenAttempts, type SeenAttempt } from './observed-attempts.ts';
import type { LeftOut, LeftOutReason, RecordedTurn } from './types.ts';

/** One recorded turn that can be replayed. */
export interface ReadTurn {
  /** Index among all given traces. */
  readonly index: number;
  /** Id of the turn. */
  readonly turnId: string;
  /** The trace as replay reads it. */
  readonly recording: Recording;
  /** When the turn began, in milliseconds since 1970. */
  readonly beganAtEpochMs: number;
  /** Every attempt of the turn, call by call. */
  readonly seen: readonly SeenAttempt[];
  /** By `call tool`. */
  readonly seenOf: ReadonlyMap<string, readonly SeenAttempt[]>;
  /** Calls that a tool rejected, by `call tool`. */
  readonly turnedDown: ReadonlyMap<string, ToolError>;
}

export const plannedCalls = ({ recording }: ReadTurn): readonly (readonly [callId: string, toolName: string])[] =>
  recording.graph.nodes.map(({ callId, call }) => [callId, call.toolName] as const);

/** Traces sorted into those that can be replayed and those that cannot. */
export interface ReadTurns {
  /** The turns that can be replayed, in the order in which they began. */
  readonly turns: readonly ReadTurn[];
  /** The other traces, with the reason. */
  readonly leftOut: readonly LeftOut[];
}

/** Reads traces for a what-if. Never throws: a trace that cannot be used is in `leftOut`. */
export function readTurns(traces: readonly RecordedTurn[]): ReadTurns {
  const turns: ReadTurn[] = [];
  const leftOut: LeftOut[] = [];
  const known = new Set<string>();
  for (const [index, events] of traces.entries()) {
    const turn = readTurn(events, index);
    if ('reason' in turn) leftOut.push(turn);
    else if (known.has(turn.turnId)) leftOut.push(refusal(events, index, 'duplicate', 'the traces contain another turn with this id'));
    else turns.push(turn);
    if ('recording' in turn) known.add(turn.turnId);
  }
  turns.sort((one, other) => one.beganAtEpochMs - other.beganAtEpochMs || one.index - other.index);
  return { turns, leftOut };
}

function readTurn(events: RecordedTurn, index: number): ReadTurn | LeftOut {
  const first = Array.isArray(events) ? events[0] : undefined;
  if (first?.event_type === 'CallStarted' && first.seq === 1 && first.settings === undefined)
    return refusal(events, index, 'no_settings', 'this single call was recorded without its settings, by an older version');
  try {
    const recording = readRecording(events);
    if (recording.interrupted || !events.some((event) => turnEndOf(event) !== undefined))
      return refusal(events, index, 'interrupted', 'the turn never ended');
    const seen = seenAttempts(recording);
    return {
      index,
      turnId: recording.turnId,
      recording,
      beganAtEpochMs: recording.startedAtEpochMs,
      seen,
      seenOf: byTool(seen),
      turnedDown: turnedDown(recording),
    };
  } catch (error) {
    const { message } = error as Error;
    return refusal(events, index, isOlder(message) ? 'older_format' : 'unreadable', message.replace(/^replay: /, ''));
  }
}

function byTool(seen: readonly SeenAttempt[]): ReadonlyMap<string, readonly SeenAttempt[]> {
  const found = new Map<string, SeenAttempt[]>();
  for (const each of seen) {
    const key = `${each.callId} ${each.toolName}`;
    const known = found.get(key);
    if (known) known.push(each);
    else found.set(key, [each]);
  }
  return found;
}

/** What a current record always has and the first event lacks. */
const isOlder = (message: string): boolean => /events\[0\].*(undefined|must be there)/.test(message);

function refusal(events: RecordedTurn, index: number, reason: LeftOutReason, message: string): LeftOut {
  const turnId: unknown = Array.isArray(events) ? (events[0] as { readonly turn_id?: unknown } | undefined)?.turn_id : undefined;
  return { turnId: typeof turnId === 'string' ? turnId : '', index, reason, message };
}

function turnedDown({ calls }: Recording): ReadonlyMap<string, ToolError> {
  const found = new Map<string, ToolError>();
  for (const [callId, events] of calls)
    for (const event of events) if (event.event_type === 'ToolError' && event.attempt === 0) found.set(`${callId} ${event.tool_id}`, event);
  return found;
}
