/**
 * Owns what each event counts for. Does not own the series (`series.ts`), the names of tools (`tool-names.ts`), nor reading (`create-metrics.ts`).
 *
 * Invariant: O(1) per event; it never throws, for any event.
 */
import type {
  AlternativeUsed,
  AttemptStarted,
  CallCompleted,
  CallRefused,
  RecoveryDecided,
  Stamp,
  ToolError,
  ToolSucceeded,
  TraceEvent,
  TranscriptRepaired,
  TurnStarted,
} from '../../engine/trace/events.ts';
import { callOutcomeOf } from './call-outcome.ts';
import type { CommonEvents } from './common-events.ts';
import type { OpenCalls } from './open-calls.ts';
import type { Origin } from './origin.ts';
import type { CallOutcome } from './metric-values.ts';
import { retryDenialOf } from './retry-denied.ts';
import type { ProcessSeries, ToolSeries } from './series-sets.ts';
import type { ToolNames } from './tool-names.ts';

export interface Folded {
  readonly common: CommonEvents;
  readonly process: ProcessSeries;
  readonly tools: ToolNames;
  readonly calls: OpenCalls;
  readonly originOf: (event: TraceEvent) => Origin;
}

type Stamped<Event> = Event & Stamp;

export function observe(folded: Folded, event: TraceEvent): void {
  const { common } = folded;
  switch (event.event_type) {
    case 'CallStarted':
      common.callStarted.value += 1;
      return;
    case 'AttemptStarted':
      common.attemptStarted.value += 1;
      return attemptStarted(folded, event);
    case 'ToolSucceeded':
      common.toolSucceeded.value += 1;
      return attemptSucceeded(folded, event);
    case 'CallCompleted':
      common.callCompleted.value += 1;
      return callCompleted(folded, event);
    default:
      folded.process.traceEvents.add(event.event_type);
      return observeTrouble(folded, event);
  }
}

/** Events that do not occur in the calls of a healthy tool. */
function observeTrouble(folded: Folded, event: TraceEvent): void {
  const { tools, calls } = folded;
  switch (event.event_type) {
    case 'ToolError':
      return attemptFailed(folded, event);
    case 'ToolTimeout':
      return tools.of(event.tool_id).timeouts.add();
    case 'CallRefused':
      endWaiting(folded, event);
      return countRefusal(tools.of(event.tool_id), event);
    case 'RecoveryDecided':
      return recoveryDecided(folded, event);
    case 'RetryScheduled':
      calls.open(event).retries += 1;
      return tools.of(event.tool_id).backoff.add('', event.delay_ms);
    case 'AdmissionWaiting':
      endWaiting(folded, event);
      calls.open(event).waiting = { tool: tools.of(event.tool_id), wait: event.wait, since: event.elapsed_ms };
      return;
    case 'AlternativeUsed':
      return alternativeUsed(folded, event);
    case 'LateResult':
      return workEnded(tools.of(event.tool_id), event.result);
    case 'AttemptAbandoned':
      return workEnded(tools.of(event.tool_id), 'abandoned');
    default:
      return observeRest(folded, event);
  }
}

/** Events that are not about a single attempt: circuits, dependencies, turns. */
function observeRest(folded: Folded, event: TraceEvent): void {
  const { tools, process, originOf } = folded;
  switch (event.event_type) {
    case 'TurnStarted':
      return turnStarted(folded, event);
    case 'CircuitBreakerOpened':
      return circuitChanged(tools, event, 'open');
    case 'CircuitBreakerHalfOpened':
      return circuitChanged(tools, event, 'half_open');
    case 'CircuitBreakerClosed':
      return circuitChanged(tools, event, 'closed');
    case 'DefaultUsed':
      return tools.findOrOther(event.tool_id).defaults.add(event.dependency === undefined ? 'fallback' : 'dependency');
    case 'ToolSkipped':
      return tools.findOrOther(event.tool_id).skips.add(event.decision);
    case 'Escalated':
      return tools.findOrOther(event.tool_id).escalations.add();
    case 'TurnCompleted':
      return process.turnDuration.observe(event.duration_ms, event.outcome, originOf(event));
    case 'TurnDeadlineReached':
      return process.turnDeadlines.add();
    case 'ComponentFailed':
      return process.componentFailures.add(event.component);
    default:
      return observeAgent(folded, event);
  }
}

/** Events of the loop with a model. */
function observeAgent({ tools, process, originOf }: Folded, event: TraceEvent): void {
  switch (event.event_type) {
    case 'ArgumentsRepaired':
      return tools.findOrOther(event.tool_id).argumentRepairs.add();
    case 'ValidationRetryScheduled':
      process.validationDelay.observe(event.delay_ms, event.source, originOf(event));
      return process.validationRetries.add(event.source);
    case 'ValidationRecovered':
      process.validationAttempts.observe(event.attempts, event.source, originOf(event));
      return process.validationsRecovered.add(event.source);
    case 'ValidationRetryExhausted':
      process.validationAttempts.observe(event.attempt, event.source, originOf(event));
      return process.validationsExhausted.addTo([event.source, event.stopped_by]);
    case 'ReducerFailed':
      return process.reducerErrors.add();
    case 'AgentCallRefused':
      return process.agentRefusals.add(event.code);
    case 'AgentRunStopped':
      return process.agentStops.add();
    case 'TranscriptRepaired':
      return transcriptRepaired(process, event);
    case 'ResponseValidationFailed':
      return process.responsesRejected.add(event.stage);
    default:
  }
}

/** Restored circuits have no event of their own. */
function turnStarted({ tools, process, originOf }: Folded, event: Stamped<TurnStarted>): void {
  process.turnCalls.observe(event.calls.length, '', originOf(event));
  for (const [tool, { mode, state, partition }] of Object.entries(event.circuits)) {
    if (partition) continue;
    if (mode === 'forced_open') tools.of(tool).circuitState.choose('open');
    if (mode === 'auto') tools.of(tool).circuitState.choose(state);
  }
}

function attemptStarted(folded: Folded, event: Stamped<AttemptStarted>): void {
  endWaiting(folded, event);
  folded.tools.of(event.tool_id).inFlight.add();
}

function attemptSucceeded({ tools, originOf }: Folded, event: Stamped<ToolSucceeded>): void {
  const tool = tools.of(event.tool_id);
  tool.attempts.add('success');
  tool.attemptDuration.observe(event.duration_ms, '', originOf(event));
  tool.inFlight.decrement();
  if (event.retry !== undefined) tool.retriesSucceeded.add();
}

const invalidResponses: Readonly<Record<string, string>> = { INVALID_OUTPUT: 'schema', INVALID_RESPONSE: 'unreadable' };

function attemptFailed({ tools, originOf }: Folded, event: Stamped<ToolError>): void {
  // Refused before any attempt: not a failure of the tool.
  if (event.attempt === 0) return;
  const tool = tools.of(event.tool_id);
  tool.attempts.add(event.classification);
  tool.attemptErrors.add(event.code);
  tool.attemptDuration.observe(event.duration_ms, '', originOf(event));
  // The work of a timed-out attempt continues until `LateResult` or `AttemptAbandoned`.
  if (event.code !== 'TOOL_TIMEOUT') tool.inFlight.decrement();
  const kind = invalidResponses[event.code];
  if (kind !== undefined) tool.responsesInvalid.add(kind);
}

function countRefusal(tool: ToolSeries, { code, circuit_breaker_state, partition }: CallRefused): void {
  tool.refusals.add(code);
  // A circuit that was open before the first event, as after a restart, shows only by its refusals.
  if (code === 'CIRCUIT_OPEN' && !partition) tool.circuitState.choose(circuit_breaker_state);
}

function recoveryDecided({ tools }: Folded, event: Stamped<RecoveryDecided>): void {
  if (event.decision.action === 'retry') return tools.of(event.tool_id).retries.add(event.inputs.category);
  const denial = retryDenialOf(event);
  if (denial) tools.of(event.tool_id).retriesDenied.add(denial);
}

/** The previous alternative, if any, has failed. */
function alternativeUsed({ tools, calls }: Folded, event: Stamped<AlternativeUsed>): void {
  const call = calls.open(event);
  if (call.alternative !== undefined) tools.findOrOther(event.tool_id).alternatives.addTo([call.alternative, 'failure']);
  call.alternative = event.alternative;
}

function callCompleted({ tools, calls, originOf }: Folded, event: Stamped<CallCompleted>): void {
  const outcome = callOutcomeOf(event);
  const exists = event.attempts > 0 || outcome === 'refused' || event.code === 'INVALID_ARGUMENTS';
  const tool = exists ? tools.of(event.tool_id) : tools.findOrOther(event.tool_id);
  tool.calls.add(outcome);
  if (event.attempts > 0) {
    tool.callDuration.observe(event.execution_time_ms, '', originOf(event));
    countInRow(tool, outcome);
  }
  if (event.partial) tool.partials.add();
  const call = calls.find(event);
  if (!call) return;
  countWait(call, event.elapsed_ms);
  if (call.retries > 0) tool.retriedCalls.add(outcome);
  if (call.alternative !== undefined) tool.alternatives.addTo([call.alternative, alternativeOutcome[outcome] ?? 'failure']);
  calls.close(event);
}

/** A cancelled call says nothing about its tool. */
function countInRow(tool: ToolSeries, outcome: CallOutcome): void {
  if (outcome === 'success') tool.failuresInRow.cellOf('').value = 0;
  else if (outcome !== 'cancelled') tool.failuresInRow.add();
}

const alternativeOutcome: Readonly<Record<string, string>> = { success: 'success', cancelled: 'cancelled' };

function endWaiting({ calls }: Folded, event: Stamp & { readonly call_id: string }): void {
  const call = calls.find(event);
  if (call) countWait(call, event.elapsed_ms);
}

function countWait(call: NonNullable<ReturnType<OpenCalls['find']>>, now: number): void {
  const { waiting } = call;
  if (!waiting) return;
  waiting.tool.waiting.add(waiting.wait, Math.max(now - waiting.since, 0));
  call.waiting = undefined;
}

function workEnded(tool: ToolSeries, result: string): void {
  tool.orphans.add(result);
  tool.inFlight.decrement();
}

function circuitChanged(
  tools: ToolNames,
  { tool_id, reason, partition }: { readonly tool_id: string; readonly reason: string; readonly partition?: string },
  state: string,
): void {
  const tool = tools.of(tool_id);
  tool.circuitTransitions.addTo([state, reason]);
  if (!partition) tool.circuitState.choose(state);
}

function transcriptRepaired(process: ProcessSeries, { changes }: TranscriptRepaired): void {
  for (const { rule } of changes) process.transcriptRepairs.add(rule);
}
