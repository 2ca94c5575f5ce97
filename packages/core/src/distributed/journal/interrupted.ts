/** Owns what is recorded of a process that died: its gap, and the faults of attempts that are not made again. */
import type { Fault } from '../../engine/call/fault.ts';
import type { TraceEventBody } from '../../engine/trace/events.ts';

/** Messages of the faults, by the reason why the attempt is not made again. */
const messages = {
  /** The tool must not run twice: a person has to check the outcome. */
  unsafe: (toolName: string): string => `Outcome unknown: the worker that ran ${toolName} was lost, and it must not be run twice`,
  /** The attempt would be made again, but its circuit has opened. */
  refused: (toolName: string): string => `Interrupted: the worker that ran ${toolName} was lost, and its circuit is open`,
} as const;

export function interruptedFault(reason: keyof typeof messages, toolName: string): Fault {
  const text = messages[reason](toolName);
  return {
    kind: 'error',
    code: reason === 'unsafe' ? 'OUTCOME_UNKNOWN' : 'INTERRUPTED',
    message: text,
    text,
    classification: { classification: 'transient', category: 'unavailable', rule: 'worker lost', ambiguous: true },
  };
}

export function takenOver(gapMs: number, repeated: readonly string[]): TraceEventBody {
  const again = repeated.length === 0 ? '' : ` What may have been running is run again: ${repeated.join(', ')}`;
  const message = `Another process continues: nothing is recorded of the last ${Math.round(gapMs)} ms.${again}`;
  return { event_type: 'TurnTakenOver', gap_ms: gapMs, repeated, message };
}
