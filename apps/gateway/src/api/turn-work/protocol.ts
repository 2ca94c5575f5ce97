/** Owns what is worked out of a recorded turn, and what the two sides of a thread say to each other about it. */
import type { TraceEvent } from '@holdfast/core';
import type { WhatIfChanges } from '../what-if/answer.ts';

export type TurnTask =
  | { readonly kind: 'what_if'; readonly changes: WhatIfChanges }
  | { readonly kind: 'otlp' }
  | { readonly kind: 'chrome' };

/** The events come in slices, so that handing them over holds up nobody; the task comes last. */
export type Question = { readonly events: readonly TraceEvent[] } | { readonly task: TurnTask };

/** The answer as JSON, in bytes; or why there is none. `isTooMuch`: where more may be spent on it, there may be one. */
export type Reply = { readonly bytes: Uint8Array<ArrayBuffer> } | { readonly problem: string; readonly isTooMuch: boolean };
