/** Owns the outcome of a simulated attempt that failed: its error is classified like one that a tool threw. */
import { faultFromError } from '../../../engine/call/fault.ts';
import type { Outcome } from '../../../engine/call/protocol.ts';
import type { CompiledRule } from '../../../engine/classify/rules.ts';

const identity = (text: string): string => text;
const none: readonly never[] = [];

/** What the error of a simulated attempt is classified with. */
export interface FailedOutcomeOptions {
  /** Wall clock, for dates in headers. */
  readonly nowEpochMs: number;
  /** The tool's own rules, from `compileRules`. @default [] */
  readonly rules?: readonly CompiledRule[];
  /** The attempt had been aborted. @default false */
  readonly aborted?: boolean;
}

/** Returns the outcome of an attempt that failed with `error`, classified like an error that a tool threw. */
export function failedOutcome(error: unknown, { nowEpochMs, rules = none, aborted = false }: FailedOutcomeOptions): Outcome {
  return { ok: false, fault: faultFromError(error, { nowEpochMs, rules, redact: identity, callerAborted: aborted }) };
}
