/**
 * Owns what tools do in a what-if: what they were seen to do in the record, attempt by attempt; beyond that the last thing seen, and every such guess is told.
 */
import type { Outcome } from '../call/protocol.ts';
import { timeoutFault } from '../call/fault.ts';
import type { AttemptRequest, Script, ScriptedAttempt } from '../drivers/virtual/virtual-host.ts';
import type { TraceEvent } from '../trace/events.ts';
import { recordedOutcome } from './recorded-outcome.ts';
import type { Recording } from './recording.ts';

interface Seen {
  readonly afterMs: number;
  readonly outcome: Outcome;
  readonly partialsAfterMs: readonly number[];
}

export interface AssumedScript {
  readonly script: Script;
  /** One sentence per guess. */
  readonly assumptions: () => readonly string[];
}

export function createAssumedScript(recording: Recording): AssumedScript {
  const seen = new Map<string, readonly Seen[]>();
  const lastOfTool = new Map<string, Seen>();
  for (const [callKey, events] of recording.calls) {
    for (const start of events) {
      if (start.event_type !== 'AttemptStarted') continue;
      const attempt = observe(events, start);
      const key = `${callKey} ${start.tool_id}`;
      seen.set(key, [...(seen.get(key) ?? []), attempt]);
      lastOfTool.set(start.tool_id, attempt);
    }
  }
  const played = new Map<string, number>();
  const assumptions: string[] = [];
  const script = ({ callKey, toolName }: AttemptRequest): ScriptedAttempt => {
    const key = `${callKey} ${toolName}`;
    const index = played.get(key) ?? 0;
    played.set(key, index + 1);
    const known = seen.get(key) ?? [];
    const recorded = known[index];
    if (recorded) return recorded;
    const guess = known.at(-1) ?? lastOfTool.get(toolName);
    const like = guess ? (guess.outcome.ok ? 'succeed' : 'fail') : 'succeed at once';
    assumptions.push(
      `Attempt ${index + 1} of ${toolName} in call '${callKey}' was never made; it is assumed to ${like}${guess ? ' like the last one seen' : ''}.`,
    );
    return guess ?? { afterMs: 0, outcome: { ok: true, output: undefined } };
  };
  return { script, assumptions: () => assumptions };
}

/** How an attempt went. One that was cut off (its time limit, the deadline, a cancel) might have answered later; it counts as hanging. */
function observe(events: readonly TraceEvent[], start: Extract<TraceEvent, { event_type: 'AttemptStarted' }>): Seen {
  const ofAttempt = events.filter((event) => 'attempt' in event && event.attempt === start.attempt);
  const partialsAfterMs = ofAttempt.flatMap((event) =>
    event.event_type === 'ToolProgress' && event.partial ? [event.elapsed_ms - start.elapsed_ms] : [],
  );
  const timedOut = ofAttempt.some(({ event_type }) => event_type === 'ToolTimeout');
  const ended = ofAttempt.find((event) => event.event_type === 'ToolSucceeded' || event.event_type === 'ToolError');
  if (timedOut || (ended?.event_type !== 'ToolSucceeded' && ended?.event_type !== 'ToolError')) {
    return { afterMs: Number.POSITIVE_INFINITY, outcome: { ok: false, fault: timeoutFault(start.timeout_ms) }, partialsAfterMs };
  }
  return { afterMs: ended.elapsed_ms - start.elapsed_ms, outcome: recordedOutcome(ended), partialsAfterMs };
}
