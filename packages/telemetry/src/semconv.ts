/**
 * Owns every name in telemetry: spans, attributes, span events, metrics. No other file contains one.
 * Names of OpenTelemetry's conventions for generative AI and MCP are those of version 0.1.0, their first release, all with the status "Development"; `error.type` is stable.
 * If they are renamed there, change them and `conventions` here. Names of Holdfast begin with `holdfast.`.
 */

/** The version of OpenTelemetry's conventions that the names follow. */
export const conventions = '0.1.0';
export const schemaUrl: string = `https://opentelemetry.io/schemas/gen-ai/${conventions}`;

export const attribute = {
  errorType: 'error.type',
  operation: 'gen_ai.operation.name',
  toolName: 'gen_ai.tool.name',
  toolType: 'gen_ai.tool.type',
  toolDescription: 'gen_ai.tool.description',
  toolCallId: 'gen_ai.tool.call.id',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  agentName: 'gen_ai.agent.name',
  conversationId: 'gen_ai.conversation.id',
  agentVersion: 'gen_ai.agent.version',
  provider: 'gen_ai.provider.name',
  mcpMethod: 'mcp.method.name',
  turnId: 'holdfast.turn.id',
  turnOutcome: 'holdfast.turn.outcome',
  turnCalls: 'holdfast.turn.calls',
  turnTimeout: 'holdfast.turn.timeout',
  turnSeed: 'holdfast.turn.seed',
  turnEscalated: 'holdfast.turn.escalated',
  turnCriticalPath: 'holdfast.turn.critical_path',
  callId: 'holdfast.call.id',
  callOutcome: 'holdfast.call.outcome',
  callAttempts: 'holdfast.call.attempts',
  callBackoff: 'holdfast.call.backoff',
  callServedBy: 'holdfast.call.served_by',
  callFallbackUsed: 'holdfast.call.fallback_used',
  callPartial: 'holdfast.call.partial',
  callStoppedBy: 'holdfast.call.stopped_by',
  alternativeOf: 'holdfast.alternative.of',
  tool: 'holdfast.tool.name',
  alternative: 'holdfast.alternative.name',
  attemptNumber: 'holdfast.attempt.number',
  attemptOutcome: 'holdfast.attempt.outcome',
  attemptTimeout: 'holdfast.attempt.timeout',
  attemptProbe: 'holdfast.attempt.probe',
  attemptHedge: 'holdfast.attempt.hedge',
  runner: 'holdfast.runner.kind',
  errorCode: 'holdfast.error.code',
  errorClass: 'holdfast.error.classification',
  errorCategory: 'holdfast.error.category',
  errorRule: 'holdfast.error.rule',
  errorAmbiguous: 'holdfast.error.ambiguous',
  errorMessage: 'holdfast.error.message',
  retryAfter: 'holdfast.retry_after',
  held: 'holdfast.held',
  delay: 'holdfast.delay',
  circuitState: 'holdfast.circuit_breaker.state',
  circuitFailures: 'holdfast.circuit_breaker.failures',
  reason: 'holdfast.reason',
  message: 'holdfast.message',
  decisionAction: 'holdfast.decision.action',
  decidedBy: 'holdfast.decision.by',
  decisionGuards: 'holdfast.decision.guards',
  maxAttempts: 'holdfast.decision.max_attempts',
  retryElapsed: 'holdfast.decision.retry_elapsed',
  retryLimit: 'holdfast.decision.retry_limit',
  turnTimeLeft: 'holdfast.decision.turn_time_left',
  budgetLeft: 'holdfast.decision.retry_budget_left',
  causedBy: 'holdfast.caused_by',
  critical: 'holdfast.critical',
  dependency: 'holdfast.dependency',
  component: 'holdfast.component',
  linkKind: 'holdfast.link.kind',
  unfinished: 'holdfast.unfinished',
} as const;

export const operation = { executeTool: 'execute_tool', invokeAgent: 'invoke_agent' } as const;

/** Attributes at the start of every `execute_tool` span. As a literal: computed keys make an object several times as expensive. */
export function callAttributes(tool: string, callId: string, turnId: string): Record<string, string> {
  return {
    'gen_ai.operation.name': operation.executeTool,
    'gen_ai.tool.name': tool,
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.call.id': callId,
    'holdfast.turn.id': turnId,
  };
}

/** Attributes at the start of every `tool_attempt` span. */
export function attemptAttributes(
  tool: string,
  attempt: number,
  circuit: string,
  timeout: number,
): Record<string, string | number | boolean> {
  return {
    'holdfast.tool.name': tool,
    'holdfast.attempt.number': attempt,
    'holdfast.attempt.timeout': timeout,
    'holdfast.circuit_breaker.state': circuit,
  };
}

/** Attributes at the end of every `execute_tool` span. */
export function endAttributes(outcome: string, attempts: number): Record<string, string | number | boolean> {
  return { 'holdfast.call.outcome': outcome, 'holdfast.call.attempts': attempts };
}

/** Span events by trace event. Other trace events begin, end or describe a span. */
export const spanEvent = {
  RecoveryDecided: 'holdfast.recovery.decision',
  CallRefused: 'holdfast.call.refused',
  AdmissionWaiting: 'holdfast.admission.waiting',
  DefaultUsed: 'holdfast.default.used',
  ToolSkipped: 'holdfast.call.skipped',
  Escalated: 'holdfast.escalated',
  CircuitBreakerOpened: 'holdfast.circuit_breaker.opened',
  CircuitBreakerHalfOpened: 'holdfast.circuit_breaker.half_opened',
  CircuitBreakerClosed: 'holdfast.circuit_breaker.closed',
  LateResult: 'holdfast.attempt.late_result',
  AttemptAbandoned: 'holdfast.attempt.abandoned',
  TurnDeadlineReached: 'holdfast.turn.deadline',
  TurnTakenOver: 'holdfast.turn.taken_over',
  TurnCancelled: 'holdfast.turn.cancelled',
  ComponentFailed: 'holdfast.component.failed',
  ArgumentsRepaired: 'holdfast.arguments.repaired',
  ValidationRetryScheduled: 'holdfast.validation.retry',
  ValidationRetryExhausted: 'holdfast.validation.exhausted',
  ValidationRecovered: 'holdfast.validation.recovered',
  AgentCallRefused: 'holdfast.agent.call_refused',
  AgentRunStopped: 'holdfast.agent.run_stopped',
  ReducerFailed: 'holdfast.reducer.failed',
  TranscriptRepaired: 'holdfast.transcript.repaired',
  ResponseValidationFailed: 'holdfast.response.validation_failed',
} as const;

/** Names of spans. */
export const spanName = {
  call: (tool: string): string => `${operation.executeTool} ${tool}`,
  attempt: (tool: string): string => `tool_attempt ${tool}`,
  turn: 'holdfast.turn',
  agent: (name: string): string => `${operation.invokeAgent} ${name}`,
} as const;

/** Replaces the name of a tool that does not exist: models invent names, and the number of series must stay small. */
export const unknownTool = 'unknown';
/** Replaces tools and error types beyond the limit. */
export const otherTool = 'other';
export const otherErrorType = '_OTHER';

export interface MetricDefinition {
  readonly name: string;
  readonly kind: 'histogram' | 'counter' | 'up_down_counter' | 'observable_gauge';
  /** Unit in the notation of UCUM, such as `s` or `{tool_call}`. */
  readonly unit: string;
  readonly description: string;
  readonly attributes: readonly string[];
  /** Upper bounds, as advice to the SDK; a view of the user overrides them. */
  readonly buckets?: readonly number[];
}

const seconds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92] as const;
const agentSeconds = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6] as const;
const counts = [1, 2, 4, 8, 16, 32, 64, 128] as const;
const mcpSeconds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300] as const;
const { toolName, errorType, reason, circuitState, agentName, mcpMethod, alternative, turnOutcome, attemptOutcome } = attribute;

export type MetricName =
  | 'callDuration'
  | 'agentDuration'
  | 'agentToolCalls'
  | 'mcpDuration'
  | 'attemptDuration'
  | 'retries'
  | 'retriesStopped'
  | 'retriedCalls'
  | 'backoff'
  | 'refusals'
  | 'alternatives'
  | 'skipped'
  | 'lateResults'
  | 'held'
  | 'circuitStatus'
  | 'circuitTransitions'
  | 'turnDuration';

export const metric: Readonly<Record<MetricName, MetricDefinition>> = {
  callDuration: {
    name: 'gen_ai.execute_tool.duration',
    kind: 'histogram',
    unit: 's',
    description: 'One call of a tool, all its attempts and the waits between them included; an alternative counts for its own tool too.',
    attributes: [toolName, errorType],
    buckets: seconds,
  },
  agentDuration: {
    name: 'gen_ai.invoke_agent.duration',
    kind: 'histogram',
    unit: 's',
    description: 'One turn, if the option `agent` declares a turn to be one invocation of that agent.',
    attributes: [agentName, errorType],
    buckets: agentSeconds,
  },
  agentToolCalls: {
    name: 'gen_ai.invoke_agent.tool_calls',
    kind: 'histogram',
    unit: '{tool_call}',
    description: 'Calls of tools in one turn, with the option `agent`.',
    attributes: [agentName],
    buckets: counts,
  },
  mcpDuration: {
    name: 'mcp.client.operation.duration',
    kind: 'histogram',
    unit: 's',
    description: 'One attempt of a tool of an MCP server.',
    attributes: [mcpMethod, toolName, errorType],
    buckets: mcpSeconds,
  },
  attemptDuration: {
    name: 'holdfast.tool.attempt.duration',
    kind: 'histogram',
    unit: 's',
    description: 'One attempt of a tool, without any wait.',
    attributes: [toolName, errorType],
    buckets: seconds,
  },
  retries: {
    name: 'holdfast.tool.retries',
    kind: 'counter',
    unit: '{retry}',
    description: 'Scheduled retries by the error that caused them.',
    attributes: [toolName, errorType],
  },
  retriesStopped: {
    name: 'holdfast.tool.retries.stopped',
    kind: 'counter',
    unit: '{tool_call}',
    description:
      'Calls that failed although a further attempt was possible, by what stopped it: attempts, budget, deadline, circuit, policy.',
    attributes: [toolName, reason],
  },
  retriedCalls: {
    name: 'holdfast.tool.retried_calls',
    kind: 'counter',
    unit: '{tool_call}',
    description: 'Calls with more than one attempt; with `error.type` if they failed in the end.',
    attributes: [toolName, errorType],
  },
  backoff: {
    name: 'holdfast.tool.backoff',
    kind: 'counter',
    unit: 's',
    description: 'Time planned for waits before retries.',
    attributes: [toolName],
  },
  refusals: {
    name: 'holdfast.tool.refusals',
    kind: 'counter',
    unit: '{refusal}',
    description: 'Attempts that admission refused: open circuit, rate limit, full bulkhead, empty retry budget.',
    attributes: [toolName, errorType],
  },
  alternatives: {
    name: 'holdfast.tool.alternatives',
    kind: 'counter',
    unit: '{tool_call}',
    description: 'Alternatives that were started instead of a tool.',
    attributes: [toolName, alternative],
  },
  skipped: {
    name: 'holdfast.tool.skipped',
    kind: 'counter',
    unit: '{tool_call}',
    description: 'Calls that were not run because of what they depend on.',
    attributes: [toolName],
  },
  lateResults: {
    name: 'holdfast.tool.late_results',
    kind: 'counter',
    unit: '{attempt}',
    description: 'Attempts whose work continued after their call was answered: `late_success`, `late_failure`, `abandoned`.',
    attributes: [toolName, attemptOutcome],
  },
  held: {
    name: 'holdfast.tool.held',
    kind: 'observable_gauge',
    unit: 's',
    description:
      "How long a server's `Retry-After` still holds the calls of a tool, whatever the state of its circuit; 0 when it holds none.",
    attributes: [toolName],
  },
  circuitStatus: {
    name: 'holdfast.circuit_breaker.status',
    kind: 'up_down_counter',
    unit: '1',
    description: 'The state of a circuit: 1 for the one that it is in, 0 for the others.',
    attributes: [toolName, circuitState],
  },
  circuitTransitions: {
    name: 'holdfast.circuit_breaker.transitions',
    kind: 'counter',
    unit: '{transition}',
    description: 'Changes of a circuit, by its new state.',
    attributes: [toolName, circuitState],
  },
  turnDuration: {
    name: 'holdfast.turn.duration',
    kind: 'histogram',
    unit: 's',
    description: 'One turn, or one batch.',
    attributes: [turnOutcome],
    buckets: agentSeconds,
  },
};
