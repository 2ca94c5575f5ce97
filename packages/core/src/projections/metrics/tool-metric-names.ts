/** Owns the rows of the table of metrics that are kept for each tool. Rules of the table: `metric-names.ts`. */
import type { MetricDefinition } from './families.ts';
import { alone, counter, durations, gauge } from './metric-rows.ts';
import { callOutcomes, circuitStates, retryDenials, runOutcomes } from './metric-values.ts';

/** Keys of the families that are kept for each tool. */
export type ToolMetricKey =
  | 'calls'
  | 'callDuration'
  | 'attempts'
  | 'attemptErrors'
  | 'attemptDuration'
  | 'inFlight'
  | 'timeouts'
  | 'responsesInvalid'
  | 'retries'
  | 'retriesSucceeded'
  | 'retriesDenied'
  | 'retriedCalls'
  | 'backoff'
  | 'waiting'
  | 'refusals'
  | 'circuitState'
  | 'circuitTransitions'
  | 'alternatives'
  | 'defaults'
  | 'partials'
  | 'skips'
  | 'escalations'
  | 'orphans'
  | 'argumentRepairs';

/** In the order in which they are shown. */
export const toolMetricDefinitions: Readonly<Record<ToolMetricKey, MetricDefinition>> = {
  calls: counter({
    name: 'holdfast_tool_calls_total',
    help: 'Calls that were answered, by the tool that was asked for.',
    labels: ['tool', 'outcome'],
    events: ['CallCompleted'],
    zeros: alone(callOutcomes),
  }),
  callDuration: durations({
    name: 'holdfast_tool_call_duration_seconds',
    help: 'Time from the submission of a call to its result, waits and retries included. Only calls with at least one attempt.',
    labels: ['tool', 'outcome'],
    events: ['CallCompleted'],
    zeros: alone(runOutcomes),
  }),
  attempts: counter({
    name: 'holdfast_tool_attempts_total',
    help: 'Attempts that were answered or given up at their time limit, by the tool that was run.',
    labels: ['tool', 'outcome'],
    events: ['ToolSucceeded', 'ToolError'],
    zeros: alone(['success', 'transient', 'permanent', 'neutral']),
  }),
  attemptErrors: counter({
    name: 'holdfast_tool_attempt_errors_total',
    help: 'Attempts that failed, by error code. A code appears with its first error.',
    labels: ['tool', 'error_type'],
    events: ['ToolError'],
    zeros: [],
    limit: { label: 'error_type', values: 20 },
  }),
  attemptDuration: durations({
    name: 'holdfast_tool_attempt_duration_seconds',
    help: 'Time of one attempt, without waits and backoff.',
    labels: ['tool'],
    events: ['ToolSucceeded', 'ToolError'],
    zeros: [[]],
  }),
  inFlight: gauge({
    name: 'holdfast_tool_in_flight',
    help: 'Attempts whose work has not ended, those included that nobody waits for any more.',
    labels: ['tool'],
    events: ['AttemptStarted', 'ToolSucceeded', 'ToolError', 'LateResult', 'AttemptAbandoned'],
    zeros: [[]],
  }),
  timeouts: counter({
    name: 'holdfast_tool_timeouts_total',
    help: 'Attempts that were ended at their time limit.',
    labels: ['tool'],
    events: ['ToolTimeout'],
    zeros: [[]],
  }),
  responsesInvalid: counter({
    name: 'holdfast_tool_responses_invalid_total',
    help: 'Answers that break the output schema (schema) or cannot be read (unreadable).',
    labels: ['tool', 'kind'],
    events: ['ToolError'],
    zeros: alone(['schema', 'unreadable']),
  }),
  retries: counter({
    name: 'holdfast_tool_retries_total',
    help: 'Retries that were scheduled, by the category of the error before.',
    labels: ['tool', 'reason'],
    events: ['RecoveryDecided'],
    zeros: alone(['network', 'timeout', 'rate_limit', 'unavailable', 'conflict', 'resource', 'unknown']),
    limit: { label: 'reason', values: 20 },
  }),
  retriesSucceeded: counter({
    name: 'holdfast_tool_retries_succeeded_total',
    help: 'Retries that succeeded.',
    labels: ['tool'],
    events: ['ToolSucceeded'],
    zeros: [[]],
  }),
  retriesDenied: counter({
    name: 'holdfast_tool_retries_denied_total',
    help: 'Failed attempts without a further retry, by what stopped it: the first check that failed.',
    labels: ['tool', 'reason'],
    events: ['RecoveryDecided'],
    zeros: alone(retryDenials),
  }),
  retriedCalls: counter({
    name: 'holdfast_tool_retried_calls_total',
    help: 'Calls with at least one retry, by how they ended.',
    labels: ['tool', 'outcome'],
    events: ['RetryScheduled', 'CallCompleted'],
    zeros: alone(runOutcomes),
  }),
  backoff: counter({
    name: 'holdfast_tool_backoff_seconds_total',
    unit: 'seconds',
    help: 'Delays that were scheduled before retries.',
    labels: ['tool'],
    events: ['RetryScheduled'],
    zeros: [[]],
  }),
  waiting: counter({
    name: 'holdfast_tool_waiting_seconds_total',
    unit: 'seconds',
    help: 'Time that calls waited for admission: for a free slot (concurrency), for a rate limit (retry_after), or for the tool to recover (recovery).',
    labels: ['tool', 'wait'],
    events: ['AdmissionWaiting', 'AttemptStarted', 'CallRefused', 'CallCompleted'],
    zeros: alone(['concurrency', 'retry_after']),
  }),
  refusals: counter({
    name: 'holdfast_tool_refusals_total',
    help: 'Times that admission said no; the tool was not run.',
    labels: ['tool', 'code'],
    events: ['CallRefused'],
    zeros: alone(['CIRCUIT_OPEN', 'RATE_LIMITED', 'BULKHEAD_FULL', 'RETRY_BUDGET_EXHAUSTED']),
    limit: { label: 'code', values: 5 },
  }),
  circuitState: gauge({
    name: 'holdfast_circuit_state',
    help: "The state of a tool's circuit: 1 for the state that it is in, 0 for the others.",
    labels: ['tool', 'state'],
    events: ['TurnStarted', 'CallRefused', 'CircuitBreakerOpened', 'CircuitBreakerHalfOpened', 'CircuitBreakerClosed'],
    zeros: alone(circuitStates),
  }),
  circuitTransitions: counter({
    name: 'holdfast_circuit_transitions_total',
    help: "Changes of a circuit's state, by the state it came to and why.",
    labels: ['tool', 'to', 'reason'],
    events: ['CircuitBreakerOpened', 'CircuitBreakerHalfOpened', 'CircuitBreakerClosed'],
    zeros: [
      ['open', 'failure_threshold'],
      ['open', 'failure_rate'],
      ['open', 'slow_call_rate'],
      ['open', 'probe_failed'],
      ['open', 'probe_lease_expired'],
      ['open', 'manual'],
      ['half_open', 'open_period_elapsed'],
      ['closed', 'probe_succeeded'],
      ['closed', 'permanent_probes'],
      ['closed', 'manual'],
    ],
    limit: { label: 'reason', values: 5 },
  }),
  alternatives: counter({
    name: 'holdfast_tool_alternatives_total',
    help: 'Alternatives that were tried in place of a tool, by whether they answered.',
    labels: ['tool', 'alternative', 'outcome'],
    events: ['AlternativeUsed', 'CallCompleted'],
    zeros: [],
    limit: { label: 'alternative', values: 20 },
  }),
  defaults: counter({
    name: 'holdfast_tool_defaults_total',
    help: "Defaults that stood in for the output of a dependency (dependency), or for the tool's own (fallback).",
    labels: ['tool', 'kind'],
    events: ['DefaultUsed'],
    zeros: alone(['dependency', 'fallback']),
  }),
  partials: counter({
    name: 'holdfast_tool_partials_total',
    help: 'Calls answered with the partial output that the tool had when its time was up.',
    labels: ['tool'],
    events: ['CallCompleted'],
    zeros: [[]],
  }),
  skips: counter({
    name: 'holdfast_tool_skips_total',
    help: 'Calls that were not run because of a dependency: left out (skip), or lost (escalate).',
    labels: ['tool', 'decision'],
    events: ['ToolSkipped'],
    zeros: alone(['skip', 'escalate']),
  }),
  escalations: counter({
    name: 'holdfast_tool_escalations_total',
    help: 'Required calls that were lost.',
    labels: ['tool'],
    events: ['Escalated'],
    zeros: [[]],
  }),
  orphans: counter({
    name: 'holdfast_tool_orphans_total',
    help: 'Work that continued after its attempt was given up, by how it ended; abandoned: it did not.',
    labels: ['tool', 'result'],
    events: ['LateResult', 'AttemptAbandoned'],
    zeros: alone(['late_success', 'late_failure', 'abandoned']),
  }),
  argumentRepairs: counter({
    name: 'holdfast_tool_argument_repairs_total',
    help: 'Calls whose arguments were repaired before they were read.',
    labels: ['tool'],
    events: ['ArgumentsRepaired'],
    zeros: [[]],
  }),
};
