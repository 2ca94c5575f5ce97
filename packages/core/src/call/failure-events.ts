/** Owns how a failure stands in the trace: S0 8.2's `ToolError`, one per failed attempt or rejected call. A refusal has its own event and is none. */
import type { DecisionAction } from '../recover/decision.ts';
import type { TraceEventBody } from '../trace/events.ts';
import type { PendingFailure, Step } from './state.ts';

export function failureEvents(
  { state }: Step,
  { fault, attempt, circuit, failedAt }: PendingFailure,
  decision: DecisionAction,
  message?: string,
): readonly TraceEventBody[] {
  if (fault.kind === 'refused') return [];
  const leg = attempt?.leg ?? state.leg;
  const { classification, category, rule, ambiguous, status, retryAfterMs } = fault.classification;
  return [
    {
      event_type: 'ToolError',
      tool_id: leg.toolName,
      error: fault.text,
      classification,
      circuit_breaker_state: circuit,
      retry_count: Math.max((attempt?.hedge ? leg.attempts - 1 : (attempt?.legAttempt ?? leg.attempts)) - 1, 0),
      decision,
      call_id: state.spec.callKey,
      attempt: attempt?.number ?? 0,
      code: fault.code,
      category,
      rule,
      ambiguous,
      duration_ms: attempt ? failedAt - attempt.startedAt : 0,
      ...(status === undefined ? {} : { status }),
      ...(retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs }),
      ...(message === undefined ? {} : { message }),
    },
  ];
}
