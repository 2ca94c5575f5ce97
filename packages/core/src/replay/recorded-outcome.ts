/** Owns making the outcome of an attempt again from what its trace says. Errors come back as plain data; nothing live survives a record. */
import type { Fault } from '../engine/call/fault.ts';
import type { Classification } from '../engine/classify/classification.ts';
import type { Outcome } from '../engine/call/protocol.ts';
import type { ToolError, ToolSucceeded } from '../engine/trace/events.ts';

/** Returns the fault that a recorded failure stands for, without its live error. */
export function recordedFault(event: ToolError): Fault {
  const { code, error, attempt, classification, category, rule, ambiguous, status, retry_after_ms } = event;
  return {
    kind: attempt === 0 ? 'rejected' : classification === 'neutral' ? 'cancelled' : 'error',
    code,
    message: attempt === 0 ? error : `Tool error: ${error}`,
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

/** Returns the outcome that a recorded end of an attempt stands for; the output is there only where it was captured. */
export function recordedOutcome(event: ToolError | ToolSucceeded): Outcome {
  if (event.event_type === 'ToolError') return { ok: false, fault: recordedFault(event) };
  return { ok: true, output: event.output, ...(event.output === undefined ? {} : { captured: event.output }) };
}

/** Work that ended after its call had continued; what it ended with was not recorded. */
export function lateOutcome(result: 'late_success' | 'late_failure'): Outcome {
  return result === 'late_success' ? { ok: true, output: undefined } : failed('neutral', 'cancelled');
}

/** A failure that was never told. Where another attempt was under way, it would have been if the failure had not been for good. */
export const consideredOutcome: Outcome = failed('permanent', 'unknown');

function failed(classification: Classification['classification'], category: Classification['category']): Outcome {
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
