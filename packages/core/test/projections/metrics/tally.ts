/** Counts the metrics independently, from recorded events only: call by call, with repeated passes, and from messages rather than fields. */
import { defaultBuckets, turnCallBuckets } from '../../../src/projections/metrics/metric-values.ts';
import { edgeText } from '../../../src/projections/metrics/samples.ts';
import type { TraceEvent, TraceEventType } from '../../../src/engine/trace/events.ts';

type Of<Type extends TraceEventType> = Extract<TraceEvent, { event_type: Type }>;

/** Values by name and labels. Times are in milliseconds. */
export type Tally = Map<string, number>;

/** The labels of a family are always in the order of its table row. */
export const keyOf = (name: string, labels: Readonly<Record<string, string>>): string => `${name} ${Object.values(labels).join(' ')}`;

const only = <Type extends TraceEventType>(events: readonly TraceEvent[], ...types: readonly Type[]): readonly Of<Type>[] =>
  events.filter((event): event is Of<Type> => (types as readonly string[]).includes(event.event_type));

export function addTo(tally: Tally, events: readonly TraceEvent[], isKnown: (tool: string) => boolean): void {
  const add = (name: string, labels: Readonly<Record<string, string>>, by = 1): void => {
    const tool = labels['tool'];
    const counted = tool === undefined || isKnown(tool) ? labels : { ...labels, tool: 'unknown' };
    const key = keyOf(name, counted);
    tally.set(key, (tally.get(key) ?? 0) + by);
  };
  const spread = (name: string, labels: Readonly<Record<string, string>>, ms: number, edges = defaultBuckets, scale = 1000): void => {
    for (const edge of [...edges, Number.POSITIVE_INFINITY])
      if (ms / scale <= edge) add(`${name}_bucket`, { ...labels, le: edgeText(edge) });
    add(`${name}_count`, labels);
    add(`${name}_sum`, labels, ms);
  };
  for (const event of events) add('holdfast_trace_events_total', { event_type: event.event_type });
  for (const { tool_id: tool, duration_ms, retry } of only(events, 'ToolSucceeded')) {
    add('holdfast_tool_attempts_total', { tool, outcome: 'success' });
    if (retry !== undefined) add('holdfast_tool_retries_succeeded_total', { tool });
    spread('holdfast_tool_attempt_duration_seconds', { tool }, duration_ms);
  }
  for (const { tool_id: tool, duration_ms, code, classification } of only(events, 'ToolError').filter(({ attempt }) => attempt > 0)) {
    add('holdfast_tool_attempts_total', { tool, outcome: classification });
    add('holdfast_tool_attempt_errors_total', { tool, error_type: code });
    spread('holdfast_tool_attempt_duration_seconds', { tool }, duration_ms);
    if (code === 'INVALID_OUTPUT') add('holdfast_tool_responses_invalid_total', { tool, kind: 'schema' });
    if (code === 'INVALID_RESPONSE') add('holdfast_tool_responses_invalid_total', { tool, kind: 'unreadable' });
  }
  for (const { tool_id: tool } of only(events, 'ToolTimeout')) add('holdfast_tool_timeouts_total', { tool });
  for (const { tool_id: tool, code } of only(events, 'CallRefused')) add('holdfast_tool_refusals_total', { tool, code });
  for (const { tool_id: tool, delay_ms } of only(events, 'RetryScheduled')) add('holdfast_tool_backoff_seconds_total', { tool }, delay_ms);
  for (const { tool_id: tool, result } of only(events, 'LateResult')) add('holdfast_tool_orphans_total', { tool, result });
  for (const { tool_id: tool } of only(events, 'AttemptAbandoned')) add('holdfast_tool_orphans_total', { tool, result: 'abandoned' });
  for (const { tool_id: tool, dependency } of only(events, 'DefaultUsed'))
    add('holdfast_tool_defaults_total', { tool, kind: dependency === undefined ? 'fallback' : 'dependency' });
  for (const { tool_id: tool, decision } of only(events, 'ToolSkipped')) add('holdfast_tool_skips_total', { tool, decision });
  for (const { tool_id: tool } of only(events, 'Escalated')) add('holdfast_tool_escalations_total', { tool });
  for (const { outcome, duration_ms } of only(events, 'TurnCompleted')) spread('holdfast_turn_duration_seconds', { outcome }, duration_ms);
  for (const { calls } of only(events, 'TurnStarted')) spread('holdfast_turn_tool_calls', {}, calls.length, turnCallBuckets, 1);
  add('holdfast_turn_deadlines_reached_total', {}, only(events, 'TurnDeadlineReached').length);
  for (const event of only(events, 'CircuitBreakerOpened', 'CircuitBreakerHalfOpened', 'CircuitBreakerClosed')) {
    const to = { CircuitBreakerOpened: 'open', CircuitBreakerHalfOpened: 'half_open', CircuitBreakerClosed: 'closed' }[event.event_type];
    add('holdfast_circuit_transitions_total', { tool: event.tool_id, to, reason: event.reason });
    for (const state of ['open', 'half_open', 'closed'])
      tally.set(keyOf('holdfast_circuit_state', { tool: event.tool_id, state }), Number(state === to));
  }
  for (const [type, by] of [
    ['AttemptStarted', 1],
    ['ToolSucceeded', -1],
    ['LateResult', -1],
    ['AttemptAbandoned', -1],
  ] as const)
    for (const { tool_id: tool } of only(events, type)) add('holdfast_tool_in_flight', { tool }, by);
  for (const { tool_id: tool, attempt, error } of only(events, 'ToolError'))
    if (attempt > 0 && !error.startsWith('Tool timeout after')) add('holdfast_tool_in_flight', { tool }, -1);
  for (const { tool_id: tool, status, code, attempts } of only(events, 'CallCompleted')) {
    if (attempts === 0 || code === 'CANCELLED') continue;
    const key = keyOf('holdfast_tool_failures_in_a_row', { tool: isKnown(tool) ? tool : 'unknown' });
    tally.set(key, status === 'success' ? 0 : (tally.get(key) ?? 0) + 1);
  }
  const calls = new Map<string, TraceEvent[]>();
  for (const event of events) {
    const key = `${event.turn_id} ${(event as { call_id?: string }).call_id ?? ''}`;
    const call = calls.get(key);
    if (call) call.push(event);
    else calls.set(key, [event]);
  }
  for (const call of calls.values()) addCall(call, add, spread);
}

type Add = (name: string, labels: Readonly<Record<string, string>>, by?: number) => void;

function addCall(
  events: readonly TraceEvent[],
  add: Add,
  spread: (name: string, labels: Readonly<Record<string, string>>, ms: number) => void,
): void {
  for (const [index, event] of events.entries())
    if (event.event_type === 'RecoveryDecided') addDecision(event, events.slice(0, index), add);
  for (const [index, waiting] of events.entries()) {
    if (waiting.event_type !== 'AdmissionWaiting') continue;
    const end = only(events.slice(index + 1), 'AdmissionWaiting', 'AttemptStarted', 'CallRefused', 'CallCompleted')[0];
    add(
      'holdfast_tool_waiting_seconds_total',
      { tool: waiting.tool_id, wait: waiting.wait },
      (end?.elapsed_ms ?? Number.NaN) - waiting.elapsed_ms,
    );
  }
  const [completed] = only(events, 'CallCompleted');
  if (!completed) return;
  const { tool_id: tool } = completed;
  const outcome = outcomeOf(completed, events);
  add('holdfast_tool_calls_total', { tool, outcome });
  if (completed.partial) add('holdfast_tool_partials_total', { tool });
  if (only(events, 'AttemptStarted').length > 0) spread('holdfast_tool_call_duration_seconds', { tool }, completed.execution_time_ms);
  if (only(events, 'RetryScheduled').length > 0) add('holdfast_tool_retried_calls_total', { tool, outcome });
  const tried = only(events, 'AlternativeUsed');
  for (const [index, { alternative }] of tried.entries()) {
    const last = outcome === 'success' || outcome === 'cancelled' ? outcome : 'failure';
    add('holdfast_tool_alternatives_total', { tool, alternative, outcome: index < tried.length - 1 ? 'failure' : last });
  }
}

function outcomeOf({ status, code }: Of<'CallCompleted'>, events: readonly TraceEvent[]): string {
  if (only(events, 'ToolSkipped').length > 0) return 'skipped';
  if (status === 'success') return 'success';
  if (code === 'CANCELLED') return 'cancelled';
  if (only(events, 'AttemptStarted').length > 0) return status;
  if (status === 'timeout') return 'unstarted';
  return only(events, 'CallRefused').length > 0 ? 'refused' : 'rejected';
}

const sentences: readonly (readonly [RegExp, string])[] = [
  [/^(Permanent error|Cancelled)/, 'not_transient'],
  [/^(Circuit open|Probe failed)/, 'circuit_open'],
  [/^The unsafe action may have happened/, 'unsafe'],
  [/^Attempts exhausted/, 'attempts'],
  [/^Retry time exhausted/, 'retry_time'],
  [/^No time left in the turn/, 'deadline'],
  [/^Retry budget exhausted/, 'retry_budget'],
  [/^The turn's retries are used up/, 'turn_budget'],
];

const refusals: Readonly<Record<string, string>> = {
  CIRCUIT_OPEN: 'circuit_open',
  RETRY_BUDGET_EXHAUSTED: 'retry_budget',
  RATE_LIMITED: 'rate_limit',
  BULKHEAD_FULL: 'concurrency',
};

function addDecision({ tool_id: tool, message, decision, inputs }: Of<'RecoveryDecided'>, before: readonly TraceEvent[], add: Add): void {
  if (decision.action === 'retry') return add('holdfast_tool_retries_total', { tool, reason: inputs.category });
  if (!only(before, 'AttemptStarted').some(({ tool_id }) => tool_id === tool)) return;
  if (message === 'Partial output accepted') return;
  const refused = message.startsWith('Refused before it ran') ? only(before, 'CallRefused').at(-1)?.code : undefined;
  const reason = refused === undefined ? sentences.find(([sentence]) => sentence.test(message))?.[1] : refusals[refused];
  add('holdfast_tool_retries_denied_total', { tool, reason: reason ?? `not understood: ${message}` });
}
