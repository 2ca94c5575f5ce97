/** Owns which event is a cause of which alert, so that an alert can point to it. Does not own the counting. */
import { callOutcomeOf } from '../metrics/call-outcome.ts';
import type { CallOutcome, RetryDenial } from '../metrics/metric-values.ts';
import { retryDenialOf } from '../metrics/retry-denied.ts';
import type { TraceEvent } from '../trace/events.ts';
import type { AlertPointer } from './alert.ts';
import type { AlertCause, AlertRule } from './rule.ts';

/** As the metrics count them, so that an alert points to what was counted. */
const failures: ReadonlySet<CallOutcome> = new Set<CallOutcome>(['error', 'timeout', 'refused']);
const budgets: ReadonlySet<RetryDenial | undefined> = new Set<RetryDenial>(['retry_budget', 'turn_budget']);

/** Codes that say that an answer was not what it had to be. */
const invalidResponses: ReadonlySet<string> = new Set(['INVALID_OUTPUT', 'INVALID_RESPONSE']);

const MAX_POINTERS = 2_000;

/** Whether an event is a cause; `above`: the rule's limit. */
const tests: Readonly<Record<AlertCause, (event: TraceEvent, above: number) => boolean>> = {
  call_failed: (event) => event.event_type === 'CallCompleted' && failures.has(callOutcomeOf(event)),
  slow_attempt: (event, above) => durationOf(event) > above * 1000,
  circuit_opened: (event) => event.event_type === 'CircuitBreakerOpened',
  response_invalid: (event) => event.event_type === 'ToolError' && invalidResponses.has(event.code),
  deadline_reached: (event) => event.event_type === 'TurnDeadlineReached',
  budget_exhausted: (event) => event.event_type === 'RecoveryDecided' && budgets.has(retryDenialOf(event)),
  work_abandoned: (event) => event.event_type === 'AttemptAbandoned',
};

export function isCause(rule: AlertRule, event: TraceEvent): boolean {
  return rule.cause !== undefined && tests[rule.cause](event, rule.condition.above);
}

/** Whether an alert of this rule may end with this event. */
export function mayEnd({ cause }: AlertRule, event: TraceEvent): boolean {
  return cause === 'circuit_opened' && event.event_type === 'CircuitBreakerClosed';
}

export function pointerTo(event: TraceEvent, atEpochMs: number): AlertPointer {
  const callId =
    event.event_type === 'TurnDeadlineReached' ? (event.running[0] ?? event.waiting[0]) : 'call_id' in event ? event.call_id : undefined;
  const tool = toolOf(event);
  return { turnId: event.turn_id, atEpochMs, ...(tool === undefined ? {} : { tool }), ...(callId === undefined ? {} : { callId }) };
}

export function toolOf(event: TraceEvent): string | undefined {
  return 'tool_id' in event ? event.tool_id : undefined;
}

function durationOf(event: TraceEvent): number {
  if (event.event_type === 'ToolTimeout') return event.timeout_ms;
  return event.event_type === 'ToolSucceeded' || event.event_type === 'ToolError' ? event.duration_ms : 0;
}

/** The last cause of each alert, the longest unused ones forgotten. */
export class Pointers {
  readonly #pointers = new Map<string, AlertPointer>();

  put(key: string, pointer: AlertPointer): void {
    this.#pointers.delete(key);
    const [oldest] = this.#pointers.size >= MAX_POINTERS ? this.#pointers.keys() : [];
    if (oldest !== undefined) this.#pointers.delete(oldest);
    this.#pointers.set(key, pointer);
  }

  get(key: string): AlertPointer | undefined {
    return this.#pointers.get(key);
  }

  entries(): readonly (readonly [string, AlertPointer])[] {
    return [...this.#pointers];
  }
}
