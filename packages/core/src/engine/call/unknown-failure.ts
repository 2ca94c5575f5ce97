/**
 * Owns what the settings make of a failure that shows nothing about its cause (`unknownFailures`). Does not own recognising it (`../classify`), or whether it is
 * tried again (`../recover/decide.ts`).
 *
 * Invariant: the class of such a failure depends on the settings alone, so that a replay under other settings reads a recorded one as these settings say.
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

/** The fault with the class that the settings give it. */
export function asSettingsSay(fault: Fault, settings: ToolSettings): Fault {
  if (!isUnknown(fault.classification)) return fault;
  const classification: ErrorClass = isReported(fault, settings) ? 'permanent' : 'transient';
  return fault.classification.classification === classification
    ? fault
    : { ...fault, classification: { ...fault.classification, classification } };
}
