/** Owns when calls only waited: for a delay, a slot, a time that a server named, or the recovery of a tool. */
import type { TraceEvent } from '@holdfast/core';

export interface Wait {
  readonly callId: string;
  readonly kind: 'backoff' | 'queue' | 'retry_after' | 'retry_budget' | 'recovery';
  /** Milliseconds since the turn began. */
  readonly fromMs: number;
  readonly toMs: number;
}

export function waitsOf(events: readonly TraceEvent[]): readonly Wait[] {
  const waits: Wait[] = [];
  const open = new Map<string, Omit<Wait, 'toMs'>>();
  for (const event of events) {
    if (!('call_id' in event) || event.call_id === undefined) continue;
    const { call_id: callId, elapsed_ms: atMs } = event;
    switch (event.event_type) {
      case 'RetryScheduled':
      case 'AdmissionWaiting':
      case 'AttemptStarted':
      case 'CallRefused':
      case 'AlternativeUsed':
      case 'CallCompleted': {
        const wait = open.get(callId);
        open.delete(callId);
        if (wait && atMs > wait.fromMs) waits.push({ ...wait, toMs: atMs });
        if (event.event_type === 'RetryScheduled') open.set(callId, { callId, kind: 'backoff', fromMs: atMs });
        if (event.event_type === 'AdmissionWaiting')
          open.set(callId, { callId, kind: event.wait === 'concurrency' ? 'queue' : event.wait, fromMs: atMs });
        break;
      }
      default:
    }
  }
  return waits;
}
