/**
 * Owns classifying a failure without evidence of its cause by the settings (`unknownFailures`). Does not own detecting it (`../classify`), or whether it is
 * retried (`../recover/decide.ts`).
 *
 * Invariant: the class of such a failure depends on the settings alone, so that a replay under other settings classifies a recorded one by those settings.
 */
import type { Classification, ErrorClass } from '../classify/classification.ts';
import type { ToolSettings } from '../settings/settings.ts';
import type { Fault } from './fault.ts';

/**
 * Whether nothing in the failure shows its cause: neither a code, nor a status, nor a rule of the tool, nor a wait that was asked for. Free words are no evidence:
 * `No slots on Tuesday` may be about anything.
 */
export function isUnknown({ rule, retryAfterMs }: Pick<Classification, 'rule' | 'retryAfterMs'>): boolean {
  return rule.startsWith('words:') || (rule === 'unknown' && retryAfterMs === undefined);
}

/** Whether the settings report the failure as it is, instead of treating it as transient. */
export function isReported({ classification }: Fault, { unknownFailures }: ToolSettings): boolean {
  return unknownFailures === 'report' && isUnknown(classification);
}

/** Returns the fault with the class that the settings assign to it. */
export function applyUnknownFailures(fault: Fault, settings: ToolSettings): Fault {
  if (!isUnknown(fault.classification)) return fault;
  const classification: ErrorClass = isReported(fault, settings) ? 'permanent' : 'transient';
  return fault.classification.classification === classification
    ? fault
    : { ...fault, classification: { ...fault.classification, classification } };
}
