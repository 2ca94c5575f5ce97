/** Owns the trace event of a circuit's transition. */
import type { CircuitTransition } from '../../engine/admission/types.ts';
import type { TraceEventBody } from '../../engine/trace/events.ts';
import type { ToolGate } from './tool-runtime.ts';

/** The event of a transition (docs/specification.md#s1-3-1: `Circuit breaker opened for flight_search`). `callKey`: the call that caused it, if one did. */
export function transitionEvent(
  { name: toolName, partition }: Pick<ToolGate, 'name' | 'partition'>,
  { to, reason, failureCount, openForMs }: CircuitTransition,
  callKey?: string,
): TraceEventBody {
  const whose = partition ? `${toolName} (${partition})` : toolName;
  const common = { tool_id: toolName, reason, ...(partition && { partition }), ...(callKey === undefined ? {} : { call_id: callKey }) };
  switch (to) {
    case 'open':
      return {
        event_type: 'CircuitBreakerOpened',
        ...common,
        message: `Circuit breaker opened for ${whose}`,
        failure_count: failureCount,
        ...(openForMs !== undefined && Number.isFinite(openForMs) ? { open_for_ms: openForMs } : {}),
      };
    case 'half_open':
      return { event_type: 'CircuitBreakerHalfOpened', ...common, message: `Circuit breaker half-opened for ${whose}` };
    case 'closed':
      return { event_type: 'CircuitBreakerClosed', ...common, message: `Circuit breaker closed for ${whose}` };
  }
}
