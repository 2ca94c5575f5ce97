/**
 * Owns the highlights of a tool: its latest failed calls, and its slowest calls within each ten minutes. Refused calls are only counted (`cell-fold.ts`): there are many
 * while a circuit is open, and they would hide the failures that opened it.
 *
 * Invariant: bounded per tool and in the number of tools; when nothing is taken, the oldest failures are dropped.
 */
import type { TraceEvent } from '../../engine/trace/events.ts';
import { BoundedMap } from './bounded-map.ts';
import { endingOf } from './cell-fold.ts';
import type { CallRecord, FailureRecord } from './records.ts';
import type { TrackedCall, TrackedEvent } from './open-turns.ts';

/** The latest failed call of a tool. */
export interface LatestFailure {
  /** Name of the tool. */
  readonly toolName: string;
  /** Its error, time and turn. */
  readonly failure: FailureRecord;
}

/** One of the slowest calls of a tool within ten minutes. */
export interface SlowCall {
  /** Name of the tool. */
  readonly toolName: string;
  /** The call, with the ids that lead to its trace. */
  readonly call: CallRecord;
}

interface SlowStep {
  readonly number: number;
  /** Slowest first. */
  readonly calls: CallRecord[];
}

const slowStepMs = 600_000;
const slowCallsKept = 5;
/** Number of latest failures kept per tool. */
export const failuresKept = 20;
const maxPending = 2_000;
const maxTextLength = 500;

export class Highlights {
  readonly #latest: BoundedMap<FailureRecord>;
  readonly #slow: BoundedMap<SlowStep>;
  /** By tool, oldest first. */
  #failures = new Map<string, FailureRecord[]>();
  #pendingCount = 0;
  #slowCalls: SlowCall[] = [];

  constructor(maxTools: number) {
    this.#latest = new BoundedMap(maxTools);
    this.#slow = new BoundedMap(maxTools);
  }

  /** `failure`: the record that the clusters made from the event. */
  observe({ event, at, call }: TrackedEvent, failure: FailureRecord | undefined): void {
    if (failure && event.event_type === 'ToolError') this.#latest.set(event.tool_id, failure);
    if (event.event_type !== 'CallCompleted') return;
    const ending = endingOf(event, call);
    if (ending === 'failed') this.#recordLostCall(event, call);
    if (event.attempts > 0 && ending !== 'cancelled') this.#addCall(event, at);
  }

  lastFailure(tool: string): FailureRecord | undefined {
    return this.#latest.get(tool);
  }

  takeFailures(): readonly LatestFailure[] {
    const taken = [...this.#failures].flatMap(([toolName, failures]) => failures.map((failure) => ({ toolName, failure })));
    this.#failures = new Map();
    this.#pendingCount = 0;
    return taken;
  }

  takeSlowCalls(): readonly SlowCall[] {
    const taken = this.#slowCalls;
    this.#slowCalls = [];
    return taken;
  }

  /** A call is one failure, however many of its attempts failed: the last of them. */
  #recordLostCall(event: Extract<TraceEvent, { event_type: 'CallCompleted' }>, call: TrackedCall | undefined): void {
    const { tool_id: tool } = event;
    const failure = lostCallOf(event, call);
    if (event.attempts > 0 || call?.refused !== true) this.#addFailure(tool, failure);
    else if ((this.#latest.get(tool)?.attempt ?? 0) === 0) this.#latest.set(tool, failure);
  }

  #addFailure(tool: string, failure: FailureRecord): void {
    const failures = this.#failures.get(tool) ?? [];
    if (failures.length === failuresKept) failures.shift();
    else if (this.#pendingCount < maxPending) this.#pendingCount += 1;
    else return;
    failures.push(failure);
    this.#failures.set(tool, failures);
  }

  #addCall(event: Extract<TraceEvent, { event_type: 'CallCompleted' }>, at: number): void {
    const { tool_id: tool, turn_id, call_id, status, attempts, execution_time_ms: duration_ms } = event;
    const number = Math.floor(at / slowStepMs);
    let step = this.#slow.get(tool);
    if (!step || step.number < number) {
      step = { number, calls: [] };
      this.#slow.set(tool, step);
    }
    const { calls } = step;
    const slowest = calls.at(-1);
    if (calls.length === slowCallsKept && slowest && slowest.duration_ms >= duration_ms) return;
    const call: CallRecord = { at: event.timestamp, turn_id, call_id, duration_ms, attempts, status };
    const place = calls.findIndex((each) => each.duration_ms < duration_ms);
    calls.splice(place < 0 ? calls.length : place, 0, call);
    if (calls.length > slowCallsKept) calls.pop();
    if (this.#slowCalls.length < maxPending) this.#slowCalls.push({ toolName: tool, call });
  }
}

/** The record of a call that is lost, with its own error, and the place of its last failed attempt; attempt 0 when it had none. */
function lostCallOf(event: Extract<TraceEvent, { event_type: 'CallCompleted' }>, call: TrackedCall | undefined): FailureRecord {
  const last = call?.failures.at(-1)?.failure;
  const { timestamp: at, turn_id, call_id, code = last?.code ?? 'UNKNOWN', error = last?.message ?? '' } = event;
  const stoppedBy = event.stopped_by ?? last?.stopped_by;
  return {
    at,
    turn_id,
    call_id,
    attempt: last?.attempt ?? 0,
    code,
    message: error.slice(0, maxTextLength),
    ...(stoppedBy === undefined ? {} : { stopped_by: stoppedBy }),
    call_ended: 'failed',
    ...(last?.signature === undefined ? {} : { signature: last.signature }),
  };
}
