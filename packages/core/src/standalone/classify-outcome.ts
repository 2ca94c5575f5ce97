/** Owns the outcome of a task: classified once, never wrapped. */
import type { System } from '../engine/ports/system.ts';
import { createSystem } from '../runtime/system/create-system.ts';
import type { CancelSignal } from '../engine/ports/signal.ts';
import type { Classification } from '../engine/classify/classification.ts';
import { read } from '../engine/classify/reading.ts';
import { classifyStructure } from './classify-structure.ts';
import { taskFailure, isOutcome, classificationOf, refusalIn, taskSuccess } from './outcome.ts';
import { wasAborted, type Ending } from './run-task.ts';
import type { Classifier, TaskFailure, TaskOutcome } from './task.ts';
import { isObject } from '../engine/plain/is-object.ts';

let sharedSystem: System | undefined;

/** Returns the system of the platform; all callers share one. */
export function defaultSystem(): System {
  sharedSystem ??= createSystem();
  return sharedSystem;
}

export interface OutcomeContext {
  readonly system: System;
  readonly classify: Classifier;
}

/** @param attempts 0 for a task that was not started */
export function outcomeOf(ending: Ending, context: OutcomeContext, signal: CancelSignal | undefined, attempts = 1): TaskOutcome<unknown> {
  if (ending.kind === 'value') return isOutcome(ending.value) ? ending.value : taskSuccess(ending.value, attempts);
  const { kind, error } = ending;
  if (kind === 'cancelled')
    return taskFailure(error, classificationOf('neutral', 'cancelled', 'cancelled by the caller', attempts > 0), attempts);
  if (kind === 'timeout') return taskFailure(error, classificationOf('transient', 'timeout', 'task timeout', attempts > 0), attempts);
  return failureOf(error, context, signal);
}

function failureOf(error: unknown, { classify, system }: OutcomeContext, signal: CancelSignal | undefined): TaskFailure {
  const options = { nowEpochMs: system.epochMs(), ...(signal && { callerAborted: wasAborted(signal) }) };
  const refusal = refusalIn(error);
  if (refusal) return refusal;
  let result: Classification | undefined;
  try {
    result = classify(error, options);
  } catch {
    // The default classifier is used for this error.
  }
  // It is also used if the classifier returns something else, such as a promise.
  const isValid = isObject(result) && typeof read(result, 'classification') === 'string';
  return taskFailure(error, isValid ? (result as Classification) : classifyStructure(error, options), 1);
}

/** Calls a listener. An error that it throws is ignored. */
export function notify<Notice>(listener: ((notice: Notice) => void) | undefined, notice: Notice): void {
  try {
    listener?.(notice);
  } catch {
    return;
  }
}
