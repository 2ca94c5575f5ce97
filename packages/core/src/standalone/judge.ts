/** Owns turning the end of a task into its outcome: classified once, never wrapped. */
import type { System } from '../ports/system.ts';
import { createSystem } from '../system.ts';
import type { CancelSignal } from '../ports/signal.ts';
import { classifyStructure } from './classify-structure.ts';
import { failed, isOutcome, known, refusalIn, succeeded } from './outcome.ts';
import type { Ending } from './run-task.ts';
import type { Classifier, TaskFailure, TaskOutcome } from './task.ts';

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
  const options = { nowEpochMs: system.epochMs(), ...(signal && { callerAborted: signal.aborted }) };
  const own = refusalIn(error);
  if (own) return own;
  try {
    return failed(error, classify(error, options), 1);
  } catch {
    return failed(error, classifyStructure(error, options), 1);
  }
}

/** Tells a listener. One that throws changes nothing. */
export function notify<Notice>(listener: ((notice: Notice) => void) | undefined, notice: Notice): void {
  try {
    listener?.(notice);
  } catch {
    return;
  }
}
