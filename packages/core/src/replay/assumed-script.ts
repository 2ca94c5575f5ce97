/**
 * Owns the behavior of tools in a what-if: as in the record, attempt by attempt; anything beyond the record is assumed, and every assumption is reported.
 *
 * 1. An attempt is unknown if it was never made, or if it was cut off (by its time limit, the deadline, a cancellation) and now has more time than before.
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

interface RecordedAttempt {
  readonly afterMs: number;
  readonly outcome: Outcome;
  readonly partialsAfterMs: readonly number[];
  readonly progressAfterMs: readonly number[];
  /** How long it ran before it was cut off. */
  readonly cutAfterMs?: number;
}

export interface AssumedScript {
  readonly script: Script;
  /** One sentence per assumption that affected the replayed turn. */
  readonly assumptions: (replayed: readonly TraceEvent[]) => readonly string[];
}

interface Cut {
  readonly callKey: string;
  readonly toolName: string;
  readonly attempt: number;
  readonly ofTool: number;
  readonly cutAfterMs: number;
}

export function createAssumedScript(recording: Recording, unknown: UnknownAttempts, maxUnknown: number): AssumedScript {
  const seen = new Map<string, readonly RecordedAttempt[]>();
  const byTool = new Map<string, RecordedAttempt[]>();
  for (const [callKey, events] of recording.calls) {
    for (const start of events) {
      if (start.event_type !== 'AttemptStarted') continue;
      const attempt = observe(events, start);
      const key = `${callKey} ${start.tool_id}`;
      seen.set(key, [...(seen.get(key) ?? []), attempt]);
      const ofTool = byTool.get(start.tool_id);
      if (ofTool) ofTool.push(attempt);
      else byTool.set(start.tool_id, [attempt]);
    }
  }
  const played = new Map<string, number>();
  const assumed: string[] = [];
  const cuts: Cut[] = [];
  const script = ({ callKey, toolName, attempt }: AttemptRequest): ScriptedAttempt => {
    const key = `${callKey} ${toolName}`;
    const index = played.get(key) ?? 0;
    played.set(key, index + 1);
    const known = seen.get(key) ?? [];
    const recorded = known[index];
    if (recorded === undefined) {
      if (assumed.length >= maxUnknown) refuseTooMany(maxUnknown);
      const { behavior, how } = assumeAttempt(known, byTool.get(toolName) ?? [], unknown);
      assumed.push(`Attempt ${index + 1} of ${toolName} in call '${callKey}' was never made; it is assumed to ${how}.`);
      return behavior;
    }
    const { cutAfterMs } = recorded;
    if (cutAfterMs === undefined) return recorded;
    cuts.push({ callKey, toolName, attempt, ofTool: index + 1, cutAfterMs });
    // Slightly later, so that the same time limit cuts it off again.
    return unknown === 'succeed' ? { ...recorded, afterMs: cutAfterMs + 1, outcome: emptySuccess } : recorded;
  };
  const how = unknown === 'succeed' ? 'succeed' : 'hang';
  return {
    script,
    assumptions: (replayed) => [
      ...assumed,
      ...withMoreTime(cuts, replayed).map(
        ({ ofTool, toolName, callKey, cutAfterMs }) =>
          `Attempt ${ofTool} of ${toolName} in call '${callKey}' was cut off after ${Math.round(cutAfterMs)} ms; given more time it is assumed to ${how}.`,
      ),
    ],
  };
}

function refuseTooMany(maxUnknown: number): never {
  const message = `replay: under these settings more than ${maxUnknown} attempts are made that are not recorded. Allow fewer attempts, or give the turn a time limit.`;
  throw Object.assign(new RangeError(message), { code: 'TOO_MANY_UNKNOWN' });
}

const emptySuccess: Outcome = { ok: true, output: undefined };

const assumedFault: Fault = {
  kind: 'error',
  code: 'TOOL_ERROR',
  message: 'Tool error: assumed to fail',
  text: 'assumed to fail',
  classification: { classification: 'transient', category: 'unknown', rule: 'assumed', ambiguous: false },
};

interface Assumption {
  readonly behavior: ScriptedAttempt;
  readonly how: string;
}

/** Like the latest attempt of the call, or else of the tool, with that outcome. */
function assumeAttempt(ofCall: readonly RecordedAttempt[], ofTool: readonly RecordedAttempt[], unknown: UnknownAttempts): Assumption {
  if (unknown === 'as_last') {
    const last = ofCall.at(-1) ?? ofTool.at(-1);
    if (last === undefined) return { behavior: { afterMs: 0, outcome: emptySuccess }, how: 'succeed at once' };
    return { behavior: last, how: `${last.outcome.ok ? 'succeed' : 'fail'} like the last one seen` };
  }
  const succeeds = unknown === 'succeed';
  const hasOutcome = ({ outcome }: RecordedAttempt): boolean => outcome.ok === succeeds;
  const similar = ofCall.findLast(hasOutcome) ?? ofTool.findLast(hasOutcome);
  const how = succeeds ? 'succeed' : 'fail';
  if (similar) return { behavior: similar, how };
  const afterMs = [...ofTool, ...ofCall].findLast((each) => Number.isFinite(each.afterMs))?.afterMs ?? 0;
  return { behavior: { afterMs, outcome: succeeds ? emptySuccess : { ok: false, fault: assumedFault } }, how };
}

/** Reads how an attempt went. One that was cut off might have answered later; it counts as hanging. */
function observe(events: readonly TraceEvent[], start: Extract<TraceEvent, { event_type: 'AttemptStarted' }>): RecordedAttempt {
  const ofAttempt = events.filter((event) => 'attempt' in event && event.attempt === start.attempt);
  const reports = ofAttempt.flatMap((event) => (event.event_type === 'ToolProgress' ? [event] : []));
  const timesOf = (partial: boolean): readonly number[] =>
    reports.filter((event) => (event.partial === true) === partial).map(({ elapsed_ms }) => elapsed_ms - start.elapsed_ms);
  const reported = { partialsAfterMs: timesOf(true), progressAfterMs: timesOf(false) };
  const timedOut = ofAttempt.find(({ event_type }) => event_type === 'ToolTimeout');
  const ended = ofAttempt.find((event) => event.event_type === 'ToolSucceeded' || event.event_type === 'ToolError');
  if (timedOut || (ended?.event_type !== 'ToolSucceeded' && ended?.event_type !== 'ToolError')) {
    const last = timedOut ?? events.at(-1) ?? start;
    return {
      afterMs: Number.POSITIVE_INFINITY,
      outcome: { ok: false, fault: timeoutFault(start.timeout_ms) },
      ...reported,
      cutAfterMs: last.elapsed_ms - start.elapsed_ms,
    };
  }
  return { afterMs: ended.elapsed_ms - start.elapsed_ms, outcome: recordedOutcome(ended), ...reported };
}

/** Smaller differences do not count as more time. Half of the extra millisecond of an assumed success, since sums of times are not exact. */
const toleranceMs = 0.5;

function withMoreTime(cuts: readonly Cut[], replayed: readonly TraceEvent[]): readonly Cut[] {
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
  return cuts.filter(({ attempt, callKey, cutAfterMs }) => (ranMs.get(`${attempt} ${callKey}`) ?? 0) >= cutAfterMs + toleranceMs);
}
