/** Owns the tasks on a recorded turn, and the messages between the main thread and the worker thread. */
import type { TraceEvent } from '@holdfast/core';
import type { WhatIfChanges } from '../what-if/answer.ts';

export type TurnTask =
  | { readonly kind: 'what_if'; readonly changes: WhatIfChanges }
  | { readonly kind: 'otlp' }
  | { readonly kind: 'chrome' };

/** The events are sent in slices, so that copying them does not block the main thread; the task is sent last. */
export type TaskMessage = { readonly events: readonly TraceEvent[] } | { readonly task: TurnTask };

/** The answer as JSON in bytes, or the problem. `isTooMuch`: a process with higher limits may find an answer. */
export type Reply = { readonly bytes: Uint8Array<ArrayBuffer> } | { readonly problem: string; readonly isTooMuch: boolean };
