/** Owns the rows of the table of metrics that exist per tool. Rules of the table: `metric-names.ts`. */
import type { MetricDefinition } from './families.ts';
import { singles, counter, durations, gauge } from './metric-rows.ts';
import { callOutcomes, circuitStates, retryDenials, runOutcomes } from './metric-values.ts';

/** Keys of the families that exist per tool. */
export type ToolMetricKey =
  | 'calls'
  | 'callDuration'
  | 'failuresInRow'
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
    help: 'Calls that were answered, by the requested tool.',
    labels: ['tool', 'outcome'],
    events: ['CallCompleted'],
    zeros: singles(callOutcomes),
  }),
  callDuration: durations({
    name: 'holdfast_tool_call_duration_seconds',
    // Without `outcome`: its buckets would be half of all samples, and neither rule nor panel tells them apart.
    help: 'Time from the submission of a call to its result, waits and retries included. Only calls with at least one attempt.',
    labels: ['tool'],
    events: ['CallCompleted'],
    zeros: [[]],
  }),
  failuresInRow: gauge({
    name: 'holdfast_tool_failures_in_a_row',
    help: 'Calls that ran and failed since the last one that succeeded, however long ago.',
    labels: ['tool'],
    events: ['CallCompleted'],
    zeros: [[]],
  }),
  attempts: counter({
    name: 'holdfast_tool_attempts_total',
    help: 'Attempts that were answered or timed out, by the tool that ran.',
    labels: ['tool', 'outcome'],
    events: ['ToolSucceeded', 'ToolError'],
    zeros: singles(['success', 'transient', 'permanent', 'neutral']),
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
    help: 'Attempts whose work has not ended, including those that timed out.',
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
    help: 'Responses that do not match the output schema (schema) or cannot be read (unreadable).',
    labels: ['tool', 'kind'],
    events: ['ToolError'],
    zeros: singles(['schema', 'unreadable']),
  }),
  retries: counter({
    name: 'holdfast_tool_retries_total',
    help: 'Retries that were scheduled, by the category of the preceding error.',
    labels: ['tool', 'reason'],
    events: ['RecoveryDecided'],
    zeros: singles(['network', 'timeout', 'rate_limit', 'unavailable', 'conflict', 'resource', 'unknown']),
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
    zeros: singles(retryDenials),
  }),
  retriedCalls: counter({
    name: 'holdfast_tool_retried_calls_total',
    help: 'Calls with at least one retry, by how they ended.',
    labels: ['tool', 'outcome'],
    events: ['RetryScheduled', 'CallCompleted'],
    zeros: singles(runOutcomes),
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
    help: 'Time that calls waited for admission: for a free slot (concurrency), for a rate limit (retry_after), for successes that pay for a retry (retry_budget), or for the tool to recover (recovery).',
    labels: ['tool', 'wait'],
    events: ['AdmissionWaiting', 'AttemptStarted', 'CallRefused', 'CallCompleted'],
    zeros: singles(['concurrency', 'retry_after']),
  }),
  refusals: counter({
    name: 'holdfast_tool_refusals_total',
    help: 'Refusals by admission; the tool was not run.',
    labels: ['tool', 'code'],
    events: ['CallRefused'],
    zeros: singles(['CIRCUIT_OPEN', 'RATE_LIMITED', 'BULKHEAD_FULL', 'RETRY_BUDGET_EXHAUSTED']),
    limit: { label: 'code', values: 5 },
  }),
  circuitState: gauge({
    name: 'holdfast_circuit_state',
    help: "The state of a tool's circuit: 1 for the current state, 0 for the others.",
    labels: ['tool', 'state'],
    events: ['TurnStarted', 'CallRefused', 'CircuitBreakerOpened', 'CircuitBreakerHalfOpened', 'CircuitBreakerClosed'],
    zeros: singles(circuitStates),
  }),
  circuitTransitions: counter({
    name: 'holdfast_circuit_transitions_total',
    help: "Changes of a circuit's state, by the new state and the reason.",
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
    help: 'Defaults used in place of the output of a dependency (dependency) or of the tool itself (fallback).',
    labels: ['tool', 'kind'],
    events: ['DefaultUsed'],
    zeros: singles(['dependency', 'fallback']),
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
    help: 'Calls that were not run because of a dependency: skipped (skip) or escalated (escalate).',
    labels: ['tool', 'decision'],
    events: ['ToolSkipped'],
    zeros: singles(['skip', 'escalate']),
  }),
  escalations: counter({
    name: 'holdfast_tool_escalations_total',
    help: 'Required calls that failed or could not run.',
    labels: ['tool'],
    events: ['Escalated'],
    zeros: [[]],
  }),
  orphans: counter({
    name: 'holdfast_tool_orphans_total',
    help: 'Work that continued after its attempt timed out or was cancelled, by how it ended (abandoned: it did not end).',
    labels: ['tool', 'result'],
    events: ['LateResult', 'AttemptAbandoned'],
    zeros: singles(['late_success', 'late_failure', 'abandoned']),
  }),
  argumentRepairs: counter({
    name: 'holdfast_tool_argument_repairs_total',
    help: 'Calls whose arguments were repaired before they were read.',
    labels: ['tool'],
    events: ['ArgumentsRepaired'],
    zeros: [[]],
  }),
};
