/** Owns which events cause which alerts, so that an alert can point to its cause. Does not own the counting. */
import { callOutcomeOf } from '../metrics/call-outcome.ts';
import type { CallOutcome, RetryDenial } from '../metrics/metric-values.ts';
import { retryDenialOf } from '../metrics/retry-denied.ts';
import type { TraceEvent, TraceEventType } from '../../engine/trace/events.ts';
import type { AlertPointer } from './alert.ts';
import type { AlertCause, AlertRule } from './rule.ts';

/** The outcomes that the metrics count as failures, so that an alert points to a counted call. */
const failures: ReadonlySet<CallOutcome> = new Set<CallOutcome>(['error', 'timeout', 'refused']);
const budgets: ReadonlySet<RetryDenial | undefined> = new Set<RetryDenial>(['retry_budget', 'turn_budget']);

/** Error codes of responses that failed validation. */
const invalidResponses: ReadonlySet<string> = new Set(['INVALID_OUTPUT', 'INVALID_RESPONSE']);

const MAX_POINTERS = 2_000;

interface CauseTest {
  /** The event types that can be this cause. */
  readonly types: readonly TraceEventType[];
  /** `above`: the rule's limit. */
  readonly is: (event: TraceEvent, above: number) => boolean;
}

const always = (): boolean => true;

const tests: Readonly<Record<AlertCause, CauseTest>> = {
  call_failed: {
    types: ['CallCompleted'],
    is: (event) => event.event_type === 'CallCompleted' && failures.has(callOutcomeOf(event)),
  },
  slow_attempt: { types: ['ToolSucceeded', 'ToolError'], is: (event, above) => 'duration_ms' in event && event.duration_ms > above * 1000 },
  slow_call: {
    types: ['CallCompleted'],
    is: (event, above) => event.event_type === 'CallCompleted' && event.attempts > 0 && event.execution_time_ms > above * 1000,
  },
  // The alert is about the tool's own circuit.
  circuit_opened: { types: ['CircuitBreakerOpened'], is: (event) => !('partition' in event) },
  response_invalid: { types: ['ToolError'], is: (event) => event.event_type === 'ToolError' && invalidResponses.has(event.code) },
  validation_failed: { types: ['ResponseValidationFailed'], is: always },
  deadline_reached: { types: ['TurnDeadlineReached'], is: always },
  budget_exhausted: {
    types: ['RecoveryDecided'],
    is: (event) => event.event_type === 'RecoveryDecided' && budgets.has(retryDenialOf(event)),
  },
  work_abandoned: { types: ['AttemptAbandoned'], is: always },
};

/** All causes, by name. */
export const alertCauses: readonly string[] = Object.keys(tests);

/** The event that can end an alert of a cause immediately. */
const endings: Partial<Readonly<Record<AlertCause, TraceEventType>>> = { circuit_opened: 'CircuitBreakerClosed' };

/** The rules to check for each event type. */
export function rulesByEvent(rules: readonly AlertRule[]): ReadonlyMap<TraceEventType, readonly AlertRule[]> {
  const found = new Map<TraceEventType, AlertRule[]>();
  for (const rule of rules) {
    if (rule.cause === undefined) continue;
    const ending = endings[rule.cause];
    for (const type of [...tests[rule.cause].types, ...(ending ? [ending] : [])]) found.set(type, [...(found.get(type) ?? []), rule]);
  }
  return found;
}

/** Whether an event, of a type that `rulesByEvent` lists for the rule, causes an alert of the rule or can end one. */
export function roleOf({ cause, condition }: AlertRule, event: TraceEvent): 'cause' | 'end' | undefined {
  if (cause === undefined) return undefined;
  if (event.event_type === endings[cause]) return 'partition' in event ? undefined : 'end';
  return tests[cause].is(event, condition.above) ? 'cause' : undefined;
}

export function pointerTo(event: TraceEvent, atEpochMs: number): AlertPointer {
  const callId =
    event.event_type === 'TurnDeadlineReached' ? (event.running[0] ?? event.waiting[0]) : 'call_id' in event ? event.call_id : undefined;
  const tool = toolOf(event);
  return {
    turnId: event.turn_id,
    atEpochMs,
    ...(tool === undefined ? {} : { toolName: tool }),
    ...(callId === undefined ? {} : { callId }),
  };
}

export function toolOf(event: TraceEvent): string | undefined {
  return 'tool_id' in event ? event.tool_id : undefined;
}

/** The latest cause of each alert. Bounded: the least recently updated are forgotten. */
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
