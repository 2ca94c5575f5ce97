/**
 * Owns what tools do in a what-if: what they were seen to do in the record, attempt by attempt; what lies beyond it is assumed, and every such guess is told.
 *
 * 1. Unknown is an attempt that was never made, and one that was cut off (by its time limit, the deadline, a cancel) once it is given more time than it had.
 */
import type { Fault } from '../engine/call/fault.ts';
import type { Outcome } from '../engine/call/protocol.ts';
import { timeoutFault } from '../engine/call/fault.ts';
import type { Script, ScriptedAttempt } from '../runtime/drivers/virtual/script.ts';
import type { AttemptRequest } from '../runtime/drivers/virtual/virtual-host.ts';
import type { TraceEvent } from '../engine/trace/events.ts';
import { recordedOutcome } from './recorded-outcome.ts';
import type { Recording } from './recording.ts';
import type { UnknownAttempts } from './replay-options.ts';

interface Seen {
  readonly afterMs: number;
  readonly outcome: Outcome;
  readonly partialsAfterMs: readonly number[];
  /** How long it ran until it was cut off. */
  readonly cutAfterMs?: number;
}

export interface AssumedScript {
  readonly script: Script;
  /** One sentence per guess that the replayed turn has made use of. */
  readonly assumptions: (replayed: readonly TraceEvent[]) => readonly string[];
}

interface Cut {
  readonly callKey: string;
  readonly toolName: string;
  readonly attempt: number;
  readonly ofTool: number;
  readonly cutAfterMs: number;
}

export function createAssumedScript(recording: Recording, unknown: UnknownAttempts, mostUnknown: number): AssumedScript {
  const seen = new Map<string, readonly Seen[]>();
  const ofTools = new Map<string, Seen[]>();
  for (const [callKey, events] of recording.calls) {
    for (const start of events) {
      if (start.event_type !== 'AttemptStarted') continue;
      const attempt = observe(events, start);
      const key = `${callKey} ${start.tool_id}`;
      seen.set(key, [...(seen.get(key) ?? []), attempt]);
      const ofTool = ofTools.get(start.tool_id);
      if (ofTool) ofTool.push(attempt);
      else ofTools.set(start.tool_id, [attempt]);
    }
  }
  const played = new Map<string, number>();
  const guesses: string[] = [];
  const cuts: Cut[] = [];
  const script = ({ callKey, toolName, attempt }: AttemptRequest): ScriptedAttempt => {
    const key = `${callKey} ${toolName}`;
    const index = played.get(key) ?? 0;
    played.set(key, index + 1);
    const known = seen.get(key) ?? [];
    const recorded = known[index];
    if (recorded === undefined) {
      if (guesses.length >= mostUnknown) giveUp(mostUnknown);
      const { guess, how } = guessFor(known, ofTools.get(toolName) ?? [], unknown);
      guesses.push(`Attempt ${index + 1} of ${toolName} in call '${callKey}' was never made; it is assumed to ${how}.`);
      return guess;
    }
    const { cutAfterMs } = recorded;
    if (cutAfterMs === undefined) return recorded;
    cuts.push({ callKey, toolName, attempt, ofTool: index + 1, cutAfterMs });
    // A moment later, so that the same time limit cuts it off again.
    return unknown === 'succeed' ? { ...recorded, afterMs: cutAfterMs + 1, outcome: nothing } : recorded;
  };
  const how = unknown === 'succeed' ? 'succeed' : 'hang';
  return {
    script,
    assumptions: (replayed) => [
      ...guesses,
      ...givenMoreTime(cuts, replayed).map(
        ({ ofTool, toolName, callKey, cutAfterMs }) =>
          `Attempt ${ofTool} of ${toolName} in call '${callKey}' was cut off after ${Math.round(cutAfterMs)} ms; given more time it is assumed to ${how}.`,
      ),
    ],
  };
}

function giveUp(mostUnknown: number): never {
  const message = `replay: under these settings more than ${mostUnknown} attempts are made that no record tells about. Allow fewer attempts, or give the turn a time limit.`;
  throw Object.assign(new RangeError(message), { code: 'TOO_MANY_UNKNOWN' });
}

const nothing: Outcome = { ok: true, output: undefined };

const unseen: Fault = {
  kind: 'error',
  code: 'TOOL_ERROR',
  message: 'Tool error: assumed to fail',
  text: 'assumed to fail',
  classification: { classification: 'transient', category: 'unknown', rule: 'assumed', ambiguous: false },
};

interface Guess {
  readonly guess: ScriptedAttempt;
  readonly how: string;
}

/** As the latest attempt of the call, or else of the tool, that went that way. */
function guessFor(ofCall: readonly Seen[], ofTool: readonly Seen[], unknown: UnknownAttempts): Guess {
  if (unknown === 'as_last') {
    const last = ofCall.at(-1) ?? ofTool.at(-1);
    if (last === undefined) return { guess: { afterMs: 0, outcome: nothing }, how: 'succeed at once' };
    return { guess: last, how: `${last.outcome.ok ? 'succeed' : 'fail'} like the last one seen` };
  }
  const succeeds = unknown === 'succeed';
  const goesThatWay = ({ outcome }: Seen): boolean => outcome.ok === succeeds;
  const alike = ofCall.findLast(goesThatWay) ?? ofTool.findLast(goesThatWay);
  const how = succeeds ? 'succeed' : 'fail';
  if (alike) return { guess: alike, how };
  const afterMs = [...ofTool, ...ofCall].findLast((each) => Number.isFinite(each.afterMs))?.afterMs ?? 0;
  return { guess: { afterMs, outcome: succeeds ? nothing : { ok: false, fault: unseen } }, how };
}

/** How an attempt went. One that was cut off might have answered later; it counts as hanging. */
function observe(events: readonly TraceEvent[], start: Extract<TraceEvent, { event_type: 'AttemptStarted' }>): Seen {
  const ofAttempt = events.filter((event) => 'attempt' in event && event.attempt === start.attempt);
  const partialsAfterMs = ofAttempt.flatMap((event) =>
    event.event_type === 'ToolProgress' && event.partial ? [event.elapsed_ms - start.elapsed_ms] : [],
  );
  const timedOut = ofAttempt.find(({ event_type }) => event_type === 'ToolTimeout');
  const ended = ofAttempt.find((event) => event.event_type === 'ToolSucceeded' || event.event_type === 'ToolError');
  if (timedOut || (ended?.event_type !== 'ToolSucceeded' && ended?.event_type !== 'ToolError')) {
    const last = timedOut ?? events.at(-1) ?? start;
    return {
      afterMs: Number.POSITIVE_INFINITY,
      outcome: { ok: false, fault: timeoutFault(start.timeout_ms) },
      partialsAfterMs,
      cutAfterMs: last.elapsed_ms - start.elapsed_ms,
    };
  }
  return { afterMs: ended.elapsed_ms - start.elapsed_ms, outcome: recordedOutcome(ended), partialsAfterMs };
}

/** What is less than this is no more time. Half of what an attempt that succeeds after all is given, since sums of times are not exact. */
const sameMs = 0.5;

function givenMoreTime(cuts: readonly Cut[], replayed: readonly TraceEvent[]): readonly Cut[] {
  if (cuts.length === 0) return [];
  const startedAt = new Map<string, number>();
  const ranMs = new Map<string, number>();
  for (const event of replayed) {
    if (!('attempt' in event) || !('call_id' in event) || event.attempt === undefined) continue;
    const key = `${event.attempt} ${event.call_id}`;
    if (event.event_type === 'AttemptStarted') startedAt.set(key, event.elapsed_ms);
    else if (event.event_type === 'ToolTimeout' || event.event_type === 'ToolSucceeded')
      ranMs.set(key, event.elapsed_ms - (startedAt.get(key) ?? event.elapsed_ms));
  }
  return cuts.filter(({ attempt, callKey, cutAfterMs }) => (ranMs.get(`${attempt} ${callKey}`) ?? 0) >= cutAfterMs + sameMs);
}
