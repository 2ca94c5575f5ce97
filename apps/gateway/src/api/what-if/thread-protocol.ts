/** Owns what the two sides of a what-if's thread say to each other. */
import type { TraceEvent } from '@holdfast/core';
import type { WhatIfChanges } from './answer.ts';

/** The events come in slices, so that handing them over holds up nobody; the settings come last. */
export type Question = { readonly events: readonly TraceEvent[] } | { readonly changes: WhatIfChanges };

/** The answer as JSON, in bytes; or why there is none. */
export type Reply = { readonly bytes: Uint8Array<ArrayBuffer> } | { readonly problem: string };
