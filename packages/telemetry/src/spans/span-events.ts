/** Owns the attributes of span events. Durations are seconds, as everywhere in OpenTelemetry. */
import type { TraceEvent } from '@holdfast/core';
import type { RecoveryDecided } from '@holdfast/core/trace';
import type { spanEvent } from '../semconv.ts';
import { attribute } from '../semconv.ts';
import type { AttributeValue, Attributes } from './span-sink.ts';

/** The trace events that become span events. */
export type SpanTraceEvent = Extract<TraceEvent, { readonly event_type: keyof typeof spanEvent }>;

type AgentEventType =
  | 'ValidationRetryScheduled'
  | 'ValidationRetryExhausted'
  | 'ValidationRecovered'
  | 'AgentCallRefused'
  | 'AgentRunStopped'
  | 'ReducerFailed'
  | 'TranscriptRepaired'
  | 'ResponseValidationFailed';

/** A guard in the list of a decision: `+attempts 1/5`, `-circuit open`. */
const describeGuard = ({ guard, passed, value, limit }: RecoveryDecided['decision']['guards'][number]): string =>
  `${passed ? '+' : '-'}${guard} ${String(value)}${limit === undefined ? '' : `/${String(limit)}`}`;

export function attributesOf(event: SpanTraceEvent): Attributes {
  switch (event.event_type) {
    case 'RecoveryDecided':
      return decisionAttributes(event);
    case 'CallRefused':
      return some({
        [attribute.tool]: event.tool_id,
        [attribute.errorCode]: event.code,
        [attribute.circuitState]: event.circuit_breaker_state,
        [attribute.retryAfter]: inSeconds(event.retry_after_ms),
        [attribute.held]: inSeconds(event.held_ms),
        [attribute.reason]: event.source,
      });
    case 'AdmissionWaiting':
      return some({
        [attribute.tool]: event.tool_id,
        [attribute.reason]: event.wait,
        [attribute.delay]: inSeconds(event.delay_ms),
        [attribute.held]: inSeconds(event.held_ms),
      });
    case 'DefaultUsed':
      return some({ ...callOf(event), [attribute.dependency]: event.dependency, [attribute.message]: event.message });
    case 'ToolSkipped':
      return some({ ...callOf(event), [attribute.causedBy]: event.caused_by, [attribute.decisionAction]: event.decision });
    case 'Escalated':
      return some({ ...callOf(event), [attribute.errorCode]: event.code, [attribute.critical]: event.critical });
    case 'CircuitBreakerOpened':
      return some({
        [attribute.tool]: event.tool_id,
        [attribute.reason]: event.reason,
        [attribute.circuitFailures]: event.failure_count,
        [attribute.delay]: inSeconds(event.open_for_ms),
      });
    case 'CircuitBreakerHalfOpened':
    case 'CircuitBreakerClosed':
      return { [attribute.tool]: event.tool_id, [attribute.reason]: event.reason };
    case 'LateResult':
      return { ...callOf(event), [attribute.attemptNumber]: event.attempt, [attribute.attemptOutcome]: event.result };
    case 'AttemptAbandoned':
      return { ...callOf(event), [attribute.attemptNumber]: event.attempt };
    case 'TurnDeadlineReached':
      return { [attribute.turnTimeout]: event.timeout_ms / 1_000, [attribute.message]: event.message };
    case 'TurnTakenOver':
      return { [attribute.delay]: event.gap_ms / 1_000, [attribute.message]: event.message };
    case 'TurnCancelled':
      return { [attribute.errorCode]: event.code, [attribute.message]: event.message };
    case 'ComponentFailed':
      return some({ [attribute.component]: event.component, [attribute.reason]: event.name, [attribute.errorMessage]: event.error });
    case 'ArgumentsRepaired':
      return { ...callOf(event), [attribute.message]: event.repairs.join('; ') };
    default:
      return agentAttributes(event);
  }
}

/** Events of an agent's loop. */
function agentAttributes(event: Extract<SpanTraceEvent, { readonly event_type: AgentEventType }>): Attributes {
  switch (event.event_type) {
    case 'ValidationRetryScheduled':
    case 'ValidationRetryExhausted':
      return some({
        ...callOf(event),
        [attribute.attemptNumber]: event.attempt,
        [attribute.maxAttempts]: event.max_attempts,
        [attribute.errorMessage]: event.error,
        [attribute.reason]: event.event_type === 'ValidationRetryExhausted' ? event.stopped_by : undefined,
      });
    case 'ValidationRecovered':
      return { ...callOf(event), [attribute.callAttempts]: event.attempts };
    case 'AgentCallRefused':
      return { ...callOf(event), [attribute.errorCode]: event.code, [attribute.errorMessage]: event.error };
    case 'AgentRunStopped':
      return { [attribute.reason]: event.reason, [attribute.message]: event.message };
    case 'ReducerFailed':
      return { [attribute.reason]: event.reducer, [attribute.errorMessage]: event.error };
    case 'TranscriptRepaired':
    case 'ResponseValidationFailed':
      return { [attribute.message]: event.message };
  }
}

/** The decision and its inputs. */
function decisionAttributes({ tool_id, attempt, inputs, decision, decided_by }: RecoveryDecided): Attributes {
  return some({
    [attribute.tool]: tool_id,
    [attribute.attemptNumber]: attempt,
    [attribute.decisionAction]: decision.action,
    [attribute.reason]: decision.reason,
    [attribute.decidedBy]: decided_by,
    [attribute.delay]: inSeconds(decision.delay_ms),
    [attribute.alternative]: decision.alternative,
    [attribute.callStoppedBy]: decision.stopped_by,
    [attribute.decisionGuards]: decision.guards.map(describeGuard),
    [attribute.errorClass]: inputs.classification,
    [attribute.errorCategory]: inputs.category,
    [attribute.errorRule]: inputs.rule,
    [attribute.errorAmbiguous]: inputs.ambiguous,
    [attribute.circuitState]: inputs.circuit_breaker_state,
    [attribute.callAttempts]: inputs.attempts,
    [attribute.maxAttempts]: inputs.max_attempts,
    [attribute.retryElapsed]: inSeconds(inputs.retry_elapsed_ms),
    [attribute.retryLimit]: inSeconds(inputs.max_total_time_ms),
    [attribute.retryAfter]: inSeconds(inputs.retry_after_ms),
    [attribute.held]: inSeconds(inputs.held_ms),
    [attribute.turnTimeLeft]: inSeconds(inputs.turn_time_left_ms),
    [attribute.budgetLeft]: inputs.retry_budget_left,
  });
}

function callOf({ call_id, tool_id }: { readonly call_id?: string; readonly tool_id?: string }): Attributes {
  return some({ [attribute.callId]: call_id, [attribute.tool]: tool_id });
}

/** An infinite limit has no attribute. */
export function inSeconds(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined || !Number.isFinite(milliseconds) ? undefined : milliseconds / 1_000;
}

/** Unknown values are left out. */
export function some(attributes: Readonly<Record<string, AttributeValue | undefined>>): Attributes {
  const known: Record<string, AttributeValue> = {};
  for (const name in attributes) {
    const value = attributes[name];
    if (value !== undefined) known[name] = value;
  }
  return known;
}
