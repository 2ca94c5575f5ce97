/**
 * Owns what each field of an event must be before anything is made of it. Events went through JSON or not; fields that are not in here may be anything, since
 * events may gain some.
 *
 * Invariant: every field of every type of event that is replayed is in a table; the compiler sees to it.
 */
import type { Stamp, TraceEvent, TraceEventType } from '../engine/trace/events.ts';
import { isRecord } from '../engine/plain/is-object.ts';
import { agentEventTypes } from '../engine/trace/agent-event-types.ts';
import type { AgentEventBody } from '../engine/trace/events/agent.ts';

/** What a value must be, in words, and whether it is. */
export interface FieldRule {
  readonly mustBe: string;
  readonly fits: (value: unknown) => boolean;
  /** Of an object: what its fields must be. */
  readonly inside?: FieldRules;
  /** Of a list, or of an object whose names are free: what each part must be. */
  readonly each?: FieldRule;
  readonly optional?: boolean;
}

export type FieldRules = Readonly<Record<string, FieldRule>>;

const isText = (value: unknown): boolean => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number' && !Number.isNaN(value);

/** The rule of fields that hold text. */
const text: FieldRule = { mustBe: 'a string', fits: isText };
const name: FieldRule = { mustBe: 'a name', fits: (value) => isText(value) && value !== '' };
const yesOrNo: FieldRule = { mustBe: 'true or false', fits: (value) => typeof value === 'boolean' };
const anything: FieldRule = { mustBe: 'anything', fits: () => true, optional: true };
/** JSON makes `null` of what is infinite. */
const span: FieldRule = {
  mustBe: 'a number of milliseconds, 0 or more, or null for no limit',
  fits: (value) => value === null || (isNumber(value) && value >= 0),
};
const moment: FieldRule = {
  mustBe: 'a number of milliseconds from 0 to 1e15',
  fits: (value) => isNumber(value) && value >= 0 && value <= 1e15,
};
const number: FieldRule = { mustBe: 'a number', fits: isNumber };
const countFrom = (least: number): FieldRule => ({
  mustBe: `a whole number, ${least} or more`,
  fits: (value) => Number.isSafeInteger(value) && (value as number) >= least,
});
const word = (...words: readonly string[]): FieldRule => ({
  mustBe: `one of ${words.join(', ')}`,
  fits: (value) => words.includes(value as string),
});
const object = (inside: FieldRules = {}): FieldRule => ({
  mustBe: 'an object',
  fits: isRecord,
  inside,
});
const byName = (each: FieldRule): FieldRule => ({ ...object(), each });
const listOf = (each: FieldRule): FieldRule => ({ mustBe: 'an array', fits: Array.isArray, each });
const maybe = (rule: FieldRule): FieldRule => ({ ...rule, optional: true });

const count = countFrom(0);
const attempt = countFrom(1);
const circuit = word('closed', 'open', 'half_open');
const verdict = word('transient', 'permanent', 'neutral');
const ofCall = { call_id: name, tool_id: text };
const ofAttempt = { ...ofCall, attempt };
const ofCircuit = { call_id: maybe(name), tool_id: text, message: text, reason: text };
const ofFleet = { fleet_cause: maybe(text), fleet_by: maybe(listOf(text)) };

/** What a decision was made from. Its words are matched and compared, not looked up: those of a later version are a difference, no damage. */
const inputs: FieldRules = {
  turn_id: text,
  tool_id: text,
  classification: verdict,
  category: text,
  rule: text,
  failure: word('error', 'timeout', 'refused'),
  ambiguous: yesOrNo,
  effect: maybe(text),
  circuit_breaker_state: circuit,
  probe: yesOrNo,
  attempts: count,
  max_attempts: count,
  probes: maybe(count),
  retry_count: count,
  next_delay_ms: span,
  retry_after_ms: maybe(span),
  retry_elapsed_ms: span,
  max_total_time_ms: span,
  may_wait_ms: maybe(span),
  held_ms: maybe(span),
  turn_time_left_ms: maybe(span),
  retry_budget_left: maybe(number),
  turn_retries_left: maybe(number),
  alternatives: listOf(
    object({ tool_id: text, circuit_breaker_state: circuit, available: yesOrNo, failure_share: maybe(number), latency_ms: maybe(span) }),
  ),
  partial_available: yesOrNo,
  accept_partial: yesOrNo,
  fallback_available: yesOrNo,
  optional: yesOrNo,
  recovery_rules: listOf(object({ rule: text, effect: text, strategy: text })),
  evidence: listOf(object({ strategy: text, tried: number, succeeded: number })),
};

const decision: FieldRules = {
  action: text,
  reason: text,
  delay_ms: maybe(span),
  alternative: maybe(text),
  stopped_by: maybe(text),
  guards: listOf(object()),
};

const plannedCall: FieldRules = {
  call_id: name,
  tool_id: name,
  depends_on: listOf(name),
  optional: maybe(yesOrNo),
  critical: maybe(yesOrNo),
  defaults: maybe(listOf(name)),
  policy: maybe(object()),
};

/** Of every event. */
export const stampFields: Readonly<Record<keyof Stamp, FieldRule>> = {
  turn_id: name,
  seq: attempt,
  timestamp: { mustBe: 'a time in ISO 8601', fits: (value) => isText(value) && !Number.isNaN(Date.parse(value as string)) },
  elapsed_ms: moment,
};

type FieldsOf<Type extends TraceEventType> = Exclude<keyof Extract<TraceEvent, { readonly event_type: Type }>, keyof Stamp | 'event_type'>;

/** Types of events that components and the loop around a model write beside the calls. They are not replayed, so nothing in them is checked. */
const beside: readonly ('ComponentFailed' | AgentEventBody['event_type'])[] = ['ComponentFailed', ...agentEventTypes];

export function isBeside({ event_type }: { readonly event_type: string }): boolean {
  return (beside as readonly string[]).includes(event_type);
}

/** By type of event. */
export const eventFields: {
  readonly [Type in Exclude<TraceEventType, (typeof beside)[number]>]: Readonly<Record<FieldsOf<Type>, FieldRule>>;
} = {
  TurnStarted: {
    execution_id: maybe(text),
    seed: text,
    profile: text,
    timeout_ms: { mustBe: 'a number of milliseconds above 0, or null', fits: (value) => value === null || (isNumber(value) && value > 0) },
    concurrency: {
      mustBe: 'a whole number, 1 or more, or null',
      fits: (value) => value === null || value === Infinity || attempt.fits(value),
    },
    on_deadline: word('detach', 'abort'),
    max_retries: { mustBe: 'a whole number, 0 or more, or null', fits: (value) => value === null || count.fits(value) },
    calls: listOf(object(plannedCall)),
    tools: byName(object()),
    base: object(),
    recovery_rules: listOf(object()),
    circuits: byName(object()),
  },
  CallStarted: { ...ofCall, arguments: anything },
  AttemptStarted: {
    ...ofAttempt,
    timeout_ms: span,
    circuit_breaker_state: circuit,
    probe: maybe(yesOrNo),
    hedge: maybe(yesOrNo),
    wait_ms: maybe(span),
  },
  ToolProgress: { ...ofAttempt, progress: maybe(anything), total: maybe(anything), message: maybe(anything), partial: maybe(yesOrNo) },
  ToolSucceeded: { ...ofAttempt, duration_ms: span, retry: maybe(count), message: maybe(text), output: anything },
  ToolTimeout: { ...ofAttempt, timeout_ms: span },
  ToolError: {
    ...ofCall,
    attempt: count,
    error: text,
    classification: verdict,
    circuit_breaker_state: circuit,
    retry_count: count,
    decision: text,
    code: text,
    category: text,
    rule: text,
    ambiguous: yesOrNo,
    duration_ms: span,
    status: maybe(number),
    retry_after_ms: maybe(span),
    message: maybe(text),
  },
  CallRefused: {
    ...ofCall,
    code: word('CIRCUIT_OPEN', 'RATE_LIMITED', 'BULKHEAD_FULL', 'RETRY_BUDGET_EXHAUSTED'),
    circuit_breaker_state: circuit,
    retry_after_ms: maybe(span),
    source: maybe(text),
    wait_ms: maybe(span),
  },
  RecoveryDecided: {
    ...ofCall,
    attempt: count,
    inputs: object(inputs),
    decision: object(decision),
    decided_by: word('built_in', 'handler'),
    message: text,
  },
  RetryScheduled: { ...ofAttempt, delay_ms: span },
  AdmissionWaiting: {
    ...ofCall,
    wait: word('concurrency', 'retry_after', 'recovery'),
    delay_ms: maybe(span),
    limit: maybe(number),
    queued: maybe(count),
  },
  CircuitBreakerOpened: {
    ...ofCircuit,
    failure_count: count,
    open_for_ms: maybe(span),
    failure_share: maybe(number),
    needed_run: maybe(count),
    ...ofFleet,
  },
  CircuitBreakerHalfOpened: ofCircuit,
  CircuitBreakerClosed: { ...ofCircuit, ...ofFleet },
  AlternativeUsed: { ...ofCall, alternative: text, message: text },
  DefaultUsed: { ...ofCall, dependency: maybe(text), message: text },
  ToolSkipped: { ...ofCall, optional: yesOrNo, caused_by: listOf(text), decision: text, message: text },
  Escalated: { ...ofCall, critical: yesOrNo, code: text, user_message: text, message: text },
  LateResult: { ...ofAttempt, result: word('late_success', 'late_failure'), duration_ms: span },
  AttemptAbandoned: { ...ofAttempt, duration_ms: span },
  CallCompleted: {
    ...ofCall,
    status: text,
    served_by: text,
    attempts: count,
    execution_time_ms: span,
    code: maybe(text),
    error: maybe(text),
    classification: maybe(text),
    category: maybe(text),
    stopped_by: maybe(text),
    fallback_used: maybe(yesOrNo),
    partial: maybe(yesOrNo),
    skipped: maybe(yesOrNo),
    wait_ms: maybe(span),
    ends_turn: maybe(yesOrNo),
  },
  TurnDeadlineReached: { timeout_ms: span, running: listOf(text), waiting: listOf(text), message: text },
  TurnCancelled: { code: word('CANCELLED', 'TIMEOUT'), message: text },
  TurnCompleted: { outcome: text, summary: text, escalated: yesOrNo, duration_ms: span, critical_path: listOf(text), message: text },
};
