/** Owns turning the end of a task into its outcome: classified once, never wrapped. */
import type { System } from '../engine/ports/system.ts';
import { createSystem } from '../runtime/system/create-system.ts';
import type { CancelSignal } from '../engine/ports/signal.ts';
import type { Classification } from '../engine/classify/classification.ts';
import { read } from '../engine/classify/reading.ts';
import { classifyStructure } from './classify-structure.ts';
import { failed, isOutcome, known, refusalIn, succeeded } from './outcome.ts';
import { wasAborted, type Ending } from './run-task.ts';
import type { Classifier, TaskFailure, TaskOutcome } from './task.ts';
import { isObject } from '../engine/plain/is-object.ts';

let machine: System | undefined;

/** The real machine, one for all. */
export function theMachine(): System {
  machine ??= createSystem();
  return machine;
}

export interface Judge {
  readonly system: System;
  readonly classify: Classifier;
}

/** `attempts` is 0 for a task that was never started. */
export function outcomeOf(ending: Ending, judge: Judge, signal: CancelSignal | undefined, attempts = 1): TaskOutcome<unknown> {
  if (ending.kind === 'value') return isOutcome(ending.value) ? ending.value : succeeded(ending.value, attempts);
  const { kind, error } = ending;
  if (kind === 'cancelled') return failed(error, known('neutral', 'cancelled', 'cancelled by the caller'), attempts);
  if (kind === 'timeout') return failed(error, known('transient', 'timeout', 'task timeout', attempts > 0), attempts);
  return thrown(error, judge, signal);
}

function thrown(error: unknown, { classify, system }: Judge, signal: CancelSignal | undefined): TaskFailure {
  const options = { nowEpochMs: system.epochMs(), ...(signal && { callerAborted: wasAborted(signal) }) };
  const own = refusalIn(error);
  if (own) return own;
  let meaning: Classification | undefined;
  try {
    meaning = classify(error, options);
  } catch {
    // Not asked again for this error.
  }
  // Also where it answers with something else, such as a promise.
  const usable = isObject(meaning) && typeof read(meaning, 'classification') === 'string';
  return failed(error, usable ? (meaning as Classification) : classifyStructure(error, options), 1);
}

/** Tells a listener. One that throws changes nothing. */
export function notify<Notice>(listener: ((notice: Notice) => void) | undefined, notice: Notice): void {
  try {
    listener?.(notice);
  } catch {
    return;
  }
}
