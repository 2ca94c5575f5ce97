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
  /** Attempts of the replay that no record tells about. */
  readonly unknown_attempts: number;
  /** What had to be assumed, in sentences. */
  readonly assumptions: readonly string[];
  readonly differences: readonly WhatIfDifference[];
  /** Of the replayed turn. */
  readonly events: readonly TraceEvent[];
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
  readonly tool?: string;
  readonly recorded?: { readonly action: string; readonly reason: string };
  readonly replayed?: { readonly action: string; readonly reason: string };
}
