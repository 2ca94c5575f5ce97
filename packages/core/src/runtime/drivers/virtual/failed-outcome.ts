/** Owns what becomes of an error that the work of a simulated attempt ended in: classified as one that a tool threw. */
import { faultFromError } from '../../../engine/call/fault.ts';
import type { Outcome } from '../../../engine/call/protocol.ts';
import type { CompiledRule } from '../../../engine/classify/rules.ts';

const asItIs = (text: string): string => text;
const none: readonly never[] = [];

export interface FailedOutcomeOptions {
  /** Wall clock, for dates in headers. */
  readonly nowEpochMs: number;
  readonly rules?: readonly CompiledRule[];
  /** The attempt had been told to stop. @default false */
  readonly aborted?: boolean;
}

export function failedOutcome(error: unknown, { nowEpochMs, rules = none, aborted = false }: FailedOutcomeOptions): Outcome {
  return { ok: false, fault: faultFromError(error, { nowEpochMs, rules, redact: asItIs, callerAborted: aborted }) };
}
