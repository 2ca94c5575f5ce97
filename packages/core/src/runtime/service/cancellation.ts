/**
 * Owns the caller's cancel signal: one listener per turn or single call, removed when that has settled.
 */
import { describeError } from '../../engine/classify/describe-error.ts';
import type { Fault } from '../../engine/call/fault.ts';
import { callerTimeoutFault, cancelledFault } from '../../engine/call/fault.ts';
import type { CancelSignal } from '../../engine/ports/signal.ts';
import type { ServiceContext } from './service-context.ts';

/** The cancellation by a signal that was aborted before the start: then nothing runs. */
export function cancelledBefore(context: ServiceContext, signal: CancelSignal | undefined): Fault | undefined {
  try {
    return signal?.aborted ? faultOf(context, signal) : undefined;
  } catch {
    return undefined;
  }
}

/** Calls `cancel` once when the signal aborts; at once if it already has. Returns a function that stops listening. Never throws, whatever the signal is. */
export function onCancel(context: ServiceContext, signal: CancelSignal | undefined, cancel: (fault: Fault) => void): () => void {
  if (!signal) return ignore;
  const listener = (): void => cancel(faultOf(context, signal));
  try {
    if (signal.aborted) {
      listener();
      return ignore;
    }
    signal.addEventListener('abort', listener, { once: true });
    return () => {
      try {
        signal.removeEventListener('abort', listener);
      } catch {
        return;
      }
    };
  } catch {
    return ignore;
  }
}

function ignore(): void {
  // No listener to remove.
}

/** The caller's own time limit (`AbortSignal.timeout`) is a timeout; every other abort is a cancellation. Neither shows anything about the tool. */
function faultOf({ redact }: ServiceContext, signal: CancelSignal): Fault {
  const reason = reasonOf(signal);
  return describeError(reason).name === 'TimeoutError' ? callerTimeoutFault(reason) : cancelledFault(reason, redact);
}

/** A reason that cannot be read is left out. */
function reasonOf(signal: CancelSignal): unknown {
  try {
    return signal.reason;
  } catch {
    return undefined;
  }
}
