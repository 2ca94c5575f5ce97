/**
 * Owns the required type of each event field, checked before a replay. Events may or may not have passed through JSON. Unlisted fields may have any value, since later
 * versions may add fields.
 *
 * Invariant: every field of every replayed event type is in a table; the compiler checks that.
 */
import type { Stamp, TraceEvent, TraceEventType } from '../engine/trace/events.ts';
import { isRecord } from '../engine/plain/is-object.ts';
import { agentEventTypes } from '../engine/trace/agent-event-types.ts';
import type { AgentEventBody } from '../engine/trace/events/agent.ts';

/** A rule for a value: its description and its check. */
export interface FieldRule {
  readonly mustBe: string;
  readonly fits: (value: unknown) => boolean;
  /** For an object: the rules of its fields. */
  readonly inside?: FieldRules;
  /** For an array, or an object with arbitrary keys: the rule of each item. */
  readonly each?: FieldRule;
  readonly optional?: boolean;
}

export type FieldRules = Readonly<Record<string, FieldRule>>;

const isText = (value: unknown): boolean => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number' && !Number.isNaN(value);

const text: FieldRule = { mustBe: 'a string', fits: isText };
const name: FieldRule = { mustBe: 'a non-empty string', fits: (value) => isText(value) && value !== '' };
const boolean: FieldRule = { mustBe: 'true or false', fits: (value) => typeof value === 'boolean' };
const anything: FieldRule = { mustBe: 'anything', fits: () => true, optional: true };
/** JSON turns Infinity into `null`. */
const duration: FieldRule = {
  mustBe: 'a number of milliseconds, 0 or more, or null for no limit',
  fits: (value) => value === null || (isNumber(value) && value >= 0),
};
const moment: FieldRule = {
  mustBe: 'a number of milliseconds from 0 to 1e15',
  fits: (value) => isNumber(value) && value >= 0 && value <= 1e15,
};
const number: FieldRule = { mustBe: 'a number', fits: isNumber };
const wholeNumberFrom = (minimum: number): FieldRule => ({
  mustBe: `a whole number, ${minimum} or more`,
  fits: (value) => Number.isSafeInteger(value) && (value as number) >= minimum,
});
const oneOf = (...values: readonly string[]): FieldRule => ({
  mustBe: `one of ${values.join(', ')}`,
  fits: (value) => values.includes(value as string),
});
const object = (inside: FieldRules = {}): FieldRule => ({
  mustBe: 'an object',
  fits: isRecord,
  inside,
});
const byName = (each: FieldRule): FieldRule => ({ ...object(), each });
const listOf = (each: FieldRule): FieldRule => ({ mustBe: 'an array', fits: Array.isArray, each });
const optional = (rule: FieldRule): FieldRule => ({ ...rule, optional: true });

const count = wholeNumberFrom(0);
const attempt = wholeNumberFrom(1);
const circuit = oneOf('closed', 'open', 'half_open');
const errorClass = oneOf('transient', 'permanent', 'neutral');
const ofCall = { call_id: name, tool_id: text };
const ofAttempt = { ...ofCall, attempt };
const ofCircuit = { call_id: optional(name), tool_id: text, partition: optional(text), message: text, reason: text };
const ofFleet = { fleet_cause: optional(text), fleet_by: optional(listOf(text)) };

/** The inputs of a decision. Their strings are compared but not looked up, so values of a later version give a difference, not an error. */
const inputs: FieldRules = {
  turn_id: text,
  tool_id: text,
  classification: errorClass,
  category: text,
  rule: text,
  failure: oneOf('error', 'timeout', 'refused'),
  ambiguous: boolean,
  effect: optional(text),
  assumed_effect: optional(text),
  unknown_failures: optional(count),
  circuit_breaker_state: circuit,
  probe: boolean,
  attempts: count,
  max_attempts: count,
  probes: optional(count),
  retry_count: count,
  next_delay_ms: duration,
  retry_after_ms: optional(duration),
  retry_elapsed_ms: duration,
  max_total_time_ms: duration,
  may_wait_ms: optional(duration),
  held_ms: optional(duration),
  turn_time_left_ms: optional(duration),
  retry_budget_left: optional(number),
  turn_retries_left: optional(number),
  alternatives: listOf(
    object({
      tool_id: text,
      circuit_breaker_state: circuit,
      available: boolean,
      held_ms: optional(duration),
      failure_share: optional(number),
      latency_ms: optional(duration),
    }),
  ),
  partial_available: boolean,
  accept_partial: boolean,
  fallback_available: boolean,
  optional: boolean,
  recovery_rules: listOf(object({ rule: text, effect: text, strategy: text })),
  evidence: listOf(object({ strategy: text, tried: number, succeeded: number })),
};

const decision: FieldRules = {
  action: text,
  reason: text,
  delay_ms: optional(duration),
  alternative: optional(text),
  stopped_by: optional(text),
  guards: listOf(object()),
};

const plannedCall: FieldRules = {
  call_id: name,
  tool_id: name,
  depends_on: listOf(name),
  optional: optional(boolean),
  critical: optional(boolean),
  defaults: optional(listOf(name)),
  policy: optional(object()),
};

/** Rules for the fields of every event. */
export const stampFields: Readonly<Record<keyof Stamp, FieldRule>> = {
  turn_id: name,
  seq: attempt,
  timestamp: { mustBe: 'a time in ISO 8601', fits: (value) => isText(value) && !Number.isNaN(Date.parse(value as string)) },
  elapsed_ms: moment,
};

type FieldsOf<Type extends TraceEventType> = Exclude<keyof Extract<TraceEvent, { readonly event_type: Type }>, keyof Stamp | 'event_type'>;

/** Types of events outside the calls: of components, and of the layers above turns. They are not replayed, so their fields are not checked. */
const outsideCalls: readonly ('ComponentFailed' | 'TurnTakenOver' | AgentEventBody['event_type'])[] = [
  'ComponentFailed',
  'TurnTakenOver',
  ...agentEventTypes,
];

export function isOutsideCalls({ event_type }: { readonly event_type: string }): boolean {
  return (outsideCalls as readonly string[]).includes(event_type);
}

/** Rules by event type. */
export const eventFields: {
  readonly [Type in Exclude<TraceEventType, (typeof outsideCalls)[number]>]: Readonly<Record<FieldsOf<Type>, FieldRule>>;
} = {
  TurnStarted: {
    execution_id: optional(text),
    seed: text,
    profile: text,
    timeout_ms: { mustBe: 'a number of milliseconds above 0, or null', fits: (value) => value === null || (isNumber(value) && value > 0) },
    concurrency: {
      mustBe: 'a whole number, 1 or more, or null',
      fits: (value) => value === null || value === Infinity || attempt.fits(value),
    },
    on_deadline: oneOf('detach', 'abort'),
    max_retries: { mustBe: 'a whole number, 0 or more, or null', fits: (value) => value === null || count.fits(value) },
    calls: listOf(object(plannedCall)),
    tools: byName(object()),
    base: object(),
    recovery_rules: listOf(object()),
    circuits: byName(object()),
    partitions: optional(byName(text)),
  },
  CallStarted: {
    ...ofCall,
    arguments: anything,
    settings: optional(
      object({
        seed: text,
        profile: text,
        profile_id: text,
        tools: byName(object()),
        base: optional(object()),
        policy: optional(object()),
        timeout_ms: optional(moment),
        max_retries: optional(count),
        recovery_rules: optional(listOf(object())),
        circuits: optional(byName(object())),
        partitions: optional(byName(text)),
      }),
    ),
  },
  AttemptStarted: {
    ...ofAttempt,
    timeout_ms: duration,
    circuit_breaker_state: circuit,
    probe: optional(boolean),
    hedge: optional(boolean),
    wait_ms: optional(duration),
  },
  ToolProgress: {
    ...ofAttempt,
    progress: optional(anything),
    total: optional(anything),
    message: optional(anything),
    partial: optional(boolean),
  },
  ToolSucceeded: { ...ofAttempt, duration_ms: duration, retry: optional(count), message: optional(text), output: anything },
  ToolTimeout: { ...ofAttempt, timeout_ms: duration, idle: optional(boolean) },
  ToolError: {
    ...ofCall,
    attempt: count,
    error: text,
    classification: errorClass,
    circuit_breaker_state: circuit,
    retry_count: count,
    decision: text,
    code: text,
    category: text,
    rule: text,
    ambiguous: boolean,
    duration_ms: duration,
    status: optional(number),
    retry_after_ms: optional(duration),
    message: optional(text),
  },
  CallRefused: {
    ...ofCall,
    code: oneOf('CIRCUIT_OPEN', 'RATE_LIMITED', 'BULKHEAD_FULL', 'RETRY_BUDGET_EXHAUSTED'),
    circuit_breaker_state: circuit,
    retry_after_ms: optional(duration),
    source: optional(text),
    partition: optional(text),
    held_ms: optional(duration),
    wait_ms: optional(duration),
  },
  RecoveryDecided: {
    ...ofCall,
    attempt: count,
    inputs: object(inputs),
    decision: object(decision),
    decided_by: oneOf('built_in', 'handler'),
    message: text,
  },
  RetryScheduled: { ...ofAttempt, delay_ms: duration },
  AdmissionWaiting: {
    ...ofCall,
    wait: oneOf('concurrency', 'retry_after', 'retry_budget', 'recovery'),
    delay_ms: optional(duration),
    limit: optional(number),
    queued: optional(count),
    held_ms: optional(duration),
  },
  CircuitBreakerOpened: {
    ...ofCircuit,
    failure_count: count,
    open_for_ms: optional(duration),
    ...ofFleet,
  },
  CircuitBreakerHalfOpened: ofCircuit,
  CircuitBreakerClosed: { ...ofCircuit, ...ofFleet },
  AlternativeUsed: { ...ofCall, alternative: text, message: text },
  DefaultUsed: { ...ofCall, dependency: optional(text), message: text },
  ToolSkipped: { ...ofCall, optional: boolean, caused_by: listOf(text), decision: text, message: text },
  Escalated: { ...ofCall, critical: boolean, code: text, user_message: text, message: text },
  LateResult: { ...ofAttempt, result: oneOf('late_success', 'late_failure'), duration_ms: duration },
  AttemptAbandoned: { ...ofAttempt, duration_ms: duration },
  CallCompleted: {
    ...ofCall,
    status: text,
    served_by: text,
    attempts: count,
    execution_time_ms: duration,
    code: optional(text),
    error: optional(text),
    classification: optional(text),
    category: optional(text),
    stopped_by: optional(text),
    fallback_used: optional(boolean),
    partial: optional(boolean),
    skipped: optional(boolean),
    wait_ms: optional(duration),
    ends_turn: optional(boolean),
  },
  TurnDeadlineReached: { timeout_ms: duration, running: listOf(text), waiting: listOf(text), message: text },
  TurnCancelled: { code: oneOf('CANCELLED', 'TIMEOUT'), message: text },
  TurnCompleted: { outcome: text, summary: text, escalated: boolean, duration_ms: duration, critical_path: listOf(text), message: text },
};
