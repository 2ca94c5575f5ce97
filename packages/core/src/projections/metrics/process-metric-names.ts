/** Owns the rows of the table of metrics that exist once per process: turns, the loop with the model, and the metrics themselves. Rules of the table: `metric-names.ts`. */
import type { MetricDefinition } from './families.ts';
import { singles, counter, durations, gauge } from './metric-rows.ts';
import { eventTypes } from './metric-values.ts';

/** Keys of the families that exist once per process. */
export type ProcessMetricKey =
  | 'turnDuration'
  | 'turnCalls'
  | 'turnDeadlines'
  | 'validationRetries'
  | 'validationsRecovered'
  | 'validationsExhausted'
  | 'validationDelay'
  | 'validationAttempts'
  | 'reducerErrors'
  | 'agentRefusals'
  | 'agentStops'
  | 'transcriptRepairs'
  | 'responsesRejected'
  | 'componentFailures'
  | 'traceEvents'
  | 'seriesDropped'
  | 'traceDropped'
  | 'alertsFiring'
  | 'toolHeld'
  | 'buildInfo';

/** In the order in which they are shown. */
export const processMetricDefinitions: Readonly<Record<ProcessMetricKey, MetricDefinition>> = {
  turnDuration: durations({
    name: 'holdfast_turn_duration_seconds',
    help: 'Time of a turn.',
    labels: ['outcome'],
    events: ['TurnCompleted'],
    zeros: singles(['success', 'partial', 'failed', 'deadline', 'cancelled']),
  }),
  turnCalls: {
    name: 'holdfast_turn_tool_calls',
    type: 'histogram',
    help: 'Calls of a turn, counted when it starts.',
    labels: [],
    events: ['TurnStarted'],
    zeros: [[]],
  },
  turnDeadlines: counter({
    name: 'holdfast_turn_deadlines_reached_total',
    help: 'Turns whose deadline passed.',
    labels: [],
    events: ['TurnDeadlineReached'],
    zeros: [[]],
  }),
  validationRetries: counter({
    name: 'holdfast_validation_retries_total',
    help: 'Validation failures that the model may correct.',
    labels: ['source'],
    events: ['ValidationRetryScheduled'],
    zeros: singles(['tool', 'structured_output']),
  }),
  validationsRecovered: counter({
    name: 'holdfast_validations_recovered_total',
    help: 'Validation failures that the model corrected.',
    labels: ['source'],
    events: ['ValidationRecovered'],
    zeros: singles(['tool', 'structured_output']),
  }),
  validationsExhausted: counter({
    name: 'holdfast_validations_exhausted_total',
    help: 'Validation failures without a further attempt, by what stopped it.',
    labels: ['source', 'stopped_by'],
    events: ['ValidationRetryExhausted'],
    zeros: ['tool', 'structured_output'].flatMap((source) =>
      ['attempts', 'time_budget', 'not_retryable', 'reducer_error'].map((stop) => [source, stop]),
    ),
  }),
  validationDelay: durations({
    name: 'holdfast_validation_retry_delay_seconds',
    help: 'Delays before a model gets another attempt.',
    labels: ['source'],
    events: ['ValidationRetryScheduled'],
    zeros: singles(['tool', 'structured_output']),
  }),
  validationAttempts: {
    name: 'holdfast_validation_attempts',
    type: 'histogram',
    help: 'Attempts of a model at actions whose first attempt was invalid, corrected or not.',
    labels: ['source'],
    events: ['ValidationRecovered', 'ValidationRetryExhausted'],
    zeros: singles(['tool', 'structured_output']),
  },
  reducerErrors: counter({
    name: 'holdfast_reducer_errors_total',
    help: 'Failures of reducers of sessions.',
    labels: [],
    events: ['ReducerFailed'],
    zeros: [[]],
  }),
  agentRefusals: counter({
    name: 'holdfast_agent_refusals_total',
    help: 'Calls of a model that were refused before any tool was called.',
    labels: ['code'],
    events: ['AgentCallRefused'],
    zeros: singles(['REPEATED_FAILURE', 'ANSWER_TRUNCATED', 'INVALID_ARGUMENTS', 'DEPENDENCY_FAILED', 'RUN_STOPPED']),
    limit: { label: 'code', values: 20 },
  }),
  agentStops: counter({
    name: 'holdfast_agent_runs_stopped_total',
    help: 'Agent runs that were stopped because they made no progress.',
    labels: [],
    events: ['AgentRunStopped'],
    zeros: [[]],
  }),
  transcriptRepairs: counter({
    name: 'holdfast_transcript_repairs_total',
    help: 'Changes to transcripts before they were sent to a provider, by rule.',
    labels: ['rule'],
    events: ['TranscriptRepaired'],
    zeros: [],
    limit: { label: 'rule', values: 100 },
  }),
  responsesRejected: counter({
    name: 'holdfast_response_validation_failures_total',
    help: 'Requests to models (request) and their responses (response) that failed validation and were not repaired.',
    labels: ['stage'],
    events: ['ResponseValidationFailed'],
    zeros: singles(['request', 'response']),
  }),
  componentFailures: counter({
    name: 'holdfast_component_failures_total',
    help: 'Failures of components and hooks that did not stop calls.',
    labels: ['component'],
    events: ['ComponentFailed'],
    zeros: singles(['handler', 'memory', 'listener', 'store', 'schema']),
  }),
  traceEvents: counter({
    name: 'holdfast_trace_events_total',
    help: 'Events that these metrics are computed from.',
    labels: ['event_type'],
    events: eventTypes,
    zeros: singles(eventTypes),
  }),
  seriesDropped: counter({
    name: 'holdfast_series_dropped_total',
    help: 'Events counted as unknown or other, or incompletely, because of a limit, by the limit.',
    labels: ['limit'],
    events: [],
    zeros: singles(['max_tools', 'unknown_tool', 'label_values', 'open_calls']),
  }),
  traceDropped: counter({
    name: 'holdfast_trace_dropped_total',
    help: 'Events that the trace store lost.',
    labels: [],
    events: [],
    zeros: [],
  }),
  alertsFiring: gauge({
    name: 'holdfast_alerts_firing',
    help: 'Alerts that are firing.',
    labels: ['alertname'],
    events: [],
    zeros: [],
  }),
  toolHeld: gauge({
    name: 'holdfast_tool_held_seconds',
    unit: 'seconds',
    help: "How long a server's Retry-After still holds the calls of a tool, whatever the state of its circuit; 0 when it holds none.",
    labels: ['tool'],
    events: [],
    zeros: [],
  }),
  buildInfo: gauge({
    name: 'holdfast_build_info',
    help: 'The running version; always 1.',
    labels: ['version'],
    events: [],
    zeros: [],
  }),
};
