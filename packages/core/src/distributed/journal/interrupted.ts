/** Owns the faults of attempts whose process died, where they are not simply made again. */
import type { Fault } from '../../engine/call/fault.ts';

/** Messages of the faults, by why the attempt is not made again. */
const texts = {
  /** What must not be done twice is not tried twice: somebody has to look. */
  unsafe: (toolName: string): string => `Outcome unknown: the worker that ran ${toolName} was lost, and it must not be run twice`,
  /** It would be made again, but its circuit is open by now. */
  refused: (toolName: string): string => `Interrupted: the worker that ran ${toolName} was lost, and its circuit is open`,
} as const;

export function interruptedFault(why: keyof typeof texts, toolName: string): Fault {
  const text = texts[why](toolName);
  return {
    kind: 'error',
    code: why === 'unsafe' ? 'OUTCOME_UNKNOWN' : 'INTERRUPTED',
    message: text,
    text,
    classification: { classification: 'transient', category: 'unavailable', rule: 'worker lost', ambiguous: true },
  };
}
