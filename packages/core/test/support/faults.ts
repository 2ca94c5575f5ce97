import type { Fault } from '../../src/engine/call/fault.ts';
import { cancelledFault, faultFromError } from '../../src/engine/call/fault.ts';
import { createRedactor } from '../../src/engine/plain/redact.ts';

const redact = createRedactor();

/** The fault that a tool's error becomes. */
export function faultOf(error: unknown): Fault {
  return faultFromError(error, { nowEpochMs: 0, rules: [], redact, callerAborted: false });
}

export const transientFault = (message = 'Service unavailable'): Fault => faultOf(Object.assign(new Error(message), { status: 503 }));
export const permanentFault = (message = 'No such flight'): Fault => faultOf(Object.assign(new Error(message), { status: 404 }));
export const cancelFault = (): Fault => cancelledFault(undefined, redact);
