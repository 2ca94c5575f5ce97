/** Owns the shapes of `POST /v1/turns/{id}/what-if`. Types only. */
import type { TraceEvent } from '@holdfast/core';

/** Settings as in a manifest (`retry: { max_attempts: 5 }`, `timeout_ms: …`). Everything left out is as recorded. */
export interface WhatIfRequest {
  /** Of every tool. */
  readonly policy?: Readonly<Record<string, unknown>>;
  /** By tool. */
  readonly tools?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly turn?: Readonly<Record<string, unknown>>;
}

export interface WhatIfAnswer {
  readonly turn_id: string;
  readonly recorded: WhatIfSide;
  /** Attempts that were never made are not known: this is the turn if each of them goes on as the last one of its tool did. */
  readonly replayed: WhatIfSide;
  /** The turn if every attempt that was never made fails, and if every one succeeds. Equal where nothing is unknown. */
  readonly bounds: { readonly worst: WhatIfSide; readonly best: WhatIfSide };
  /**
   * Between what the truth lies, whichever mixture of the two it is: attempts made at another moment than recorded count as unknown, and so do gates that depend on
   * them. Absent where the recorded turn was interrupted.
   */
  readonly ranges?: WhatIfRanges;
  /** Attempts of the replay that no record tells about. */
  readonly unknown_attempts: number;
  /** What had to be assumed, in sentences. */
  readonly assumptions: readonly string[];
  readonly differences: readonly WhatIfDifference[];
  /** Of the replayed turn. */
  readonly events: readonly TraceEvent[];
}

/** Both ends included; the same where nothing depends on what is unknown. */
export interface WhatIfRange {
  readonly low: number;
  readonly high: number;
}

export interface WhatIfRanges {
  /** Share of the calls whose figures depend on nothing unknown. */
  readonly observed_share: number;
  /** 1: the turn succeeds as a whole. */
  readonly whole: WhatIfRange;
  /** Absent where nothing bounds it: neither the turn nor an attempt has a time limit. */
  readonly duration_ms?: WhatIfRange;
  readonly attempts: WhatIfRange;
  readonly retries: WhatIfRange;
  readonly calls_succeeded: WhatIfRange;
  readonly calls_failed: WhatIfRange;
}

export interface WhatIfSide {
  readonly outcome: string;
  readonly duration_ms: number;
  readonly attempts: number;
  readonly retries: number;
  readonly calls_succeeded: number;
  readonly calls_failed: number;
}

export interface WhatIfDifference {
  readonly where: string;
  readonly call_id: string;
  readonly tool_id?: string;
  readonly recorded?: { readonly action: string; readonly reason: string };
  readonly replayed?: { readonly action: string; readonly reason: string };
}
