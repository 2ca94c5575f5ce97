/** Owns restoring the outcome of an attempt from its trace. Errors are plain data, since a record contains no live objects. */
import { checkShape } from '../engine/settings/check.ts';
import type { Fault } from '../engine/call/fault.ts';
import type { Classification } from '../engine/classify/classification.ts';
import type { Outcome } from '../engine/call/protocol.ts';
import type { ToolError, ToolSucceeded } from '../engine/trace/events.ts';

/** Returns the fault of a recorded failure, without its live error. */
export function recordedFault(event: ToolError): Fault {
  checkShape({ event_type: ['ToolError'], code: 'string', error: 'string', attempt: 'number' }, event, 'recordedFault: event');
  const { code, error, attempt, classification, category, rule, ambiguous, status, retry_after_ms } = event;
  return {
    kind: attempt === 0 ? 'rejected' : classification === 'neutral' ? 'cancelled' : 'error',
    code,
    message: attempt === 0 || code === 'INVALID_ARGUMENTS' ? error : `Tool error: ${error}`,
    text: error,
    classification: {
      classification,
      category,
      rule,
      ambiguous,
      ...(status === undefined ? {} : { status }),
      ...(retry_after_ms === undefined ? {} : { retryAfterMs: retry_after_ms }),
    },
  };
}

/** Returns the outcome of a recorded end of an attempt; with output only if it was captured. */
export function recordedOutcome(event: ToolError | ToolSucceeded): Outcome {
  checkShape({ event_type: ['ToolError', 'ToolSucceeded'] }, event, 'recordedOutcome: event');
  if (event.event_type === 'ToolError') return { ok: false, fault: recordedFault(event) };
  return { ok: true, output: event.output, ...(event.output === undefined ? {} : { captured: event.output }) };
}

/** Returns the outcome of late work; its output or error was not recorded. */
export function lateOutcome(result: 'late_success' | 'late_failure'): Outcome {
  return result === 'late_success' ? { ok: true, output: undefined } : failure('neutral', 'cancelled');
}

/** The outcome of a failure without an event. It was permanent: a transient one would have an event if another attempt was running. */
export const undecidedOutcome: Outcome = failure('permanent', 'unknown');

function failure(classification: Classification['classification'], category: Classification['category']): Outcome {
  const text = 'not recorded';
  return {
    ok: false,
    fault: {
      kind: classification === 'neutral' ? 'cancelled' : 'error',
      code: classification === 'neutral' ? 'CANCELLED' : 'TOOL_ERROR',
      message: text,
      text,
      classification: { classification, category, rule: text, ambiguous: false },
    },
  };
}
