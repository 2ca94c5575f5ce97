/**
 * Owns the caller's cancel signal: one listener per turn or lone call, gone when that has settled.
 */
import { describeError } from '../../engine/classify/describe-error.ts';
import type { Fault } from '../../engine/call/fault.ts';
import { callerTimeoutFault, cancelledFault } from '../../engine/call/fault.ts';
import type { CancelSignal } from '../../engine/ports/signal.ts';
import type { ServiceKit } from './service-context.ts';

/** The cancel of a signal that was aborted before anything began: nothing is to be run then. */
export function cancelledBefore(kit: ServiceKit, signal: CancelSignal | undefined): Fault | undefined {
  try {
    return signal?.aborted ? faultOf(kit, signal) : undefined;
  } catch {
    return undefined;
  }
}

/** Calls `cancel` once when the signal aborts, at once when it has. Answers the way to stop listening. Never throws, whatever the signal is. */
export function onCancel(kit: ServiceKit, signal: CancelSignal | undefined, cancel: (fault: Fault) => void): () => void {
  if (!signal) return ignore;
  const listener = (): void => cancel(faultOf(kit, signal));
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
  // Nothing to stop.
}

/** The caller's own time limit (`AbortSignal.timeout`) is a timeout; every other abort is a cancel. Neither says anything about the tool. */
function faultOf({ redact }: ServiceKit, signal: CancelSignal): Fault {
  const reason = reasonOf(signal);
  return describeError(reason).name === 'TimeoutError' ? callerTimeoutFault(reason) : cancelledFault(reason, redact);
}

/** A reason that cannot be read is none. */
function reasonOf(signal: CancelSignal): unknown {
  try {
    return signal.reason;
  } catch {
    return undefined;
  }
}
