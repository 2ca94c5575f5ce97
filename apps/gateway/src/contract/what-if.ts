/** Owns the types of `POST /v1/turns/{id}/what-if`. Types only. */
import type { TraceEvent } from '@holdfast/core';

/** Settings as in a manifest (`retry: { max_attempts: 5 }`, `timeout_ms: …`). Omitted settings are as recorded. */
export interface WhatIfRequest {
  /** Settings of every tool. */
  readonly policy?: Readonly<Record<string, unknown>>;
  /** Settings by tool. */
  readonly tools?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Settings of the turn: `timeout_ms`, `concurrency`, `on_deadline` and `max_retries`. */
  readonly turn?: Readonly<Record<string, unknown>>;
}

/** The recorded turn beside the same turn under other settings. */
export interface WhatIfAnswer {
  /** Id of the turn. */
  readonly turn_id: string;
  /** The turn as it was recorded. */
  readonly recorded: WhatIfSide;
  /**
   * The turn replayed under its own settings: compare with this. A replay takes place in virtual time, without the moments in which the recording process was busy with
   * other work, so its duration may be shorter than the recorded one whatever the settings.
   */
  readonly unchanged: WhatIfSide;
  /** The turn if each unrecorded attempt ends like the last recorded one of its tool. */
  readonly replayed: WhatIfSide;
  /** The turn if all unrecorded attempts fail, and if all succeed. Equal if nothing is unknown. */
  readonly bounds: { readonly worst: WhatIfSide; readonly best: WhatIfSide };
  /**
   * Limits of each figure for any mixture of the two. A recorded attempt counts as it was recorded, also at another moment; gates that depend on attempts that were never made count as unknown,
   * them. Absent if the recorded turn was interrupted.
   */
  readonly ranges?: WhatIfRanges;
  /** Number of unrecorded attempts in the replay. */
  readonly unknown_attempts: number;
  /** What was assumed, as sentences. */
  readonly assumptions: readonly string[];
  /** Decisions, and ends of calls, that differ between the turn under its own and under the changed settings. */
  readonly differences: readonly WhatIfDifference[];
  /** Events of the replayed turn. */
  readonly events: readonly TraceEvent[];
}

/** Both ends are included. They are equal if nothing unknown affects the figure. */
export interface WhatIfRange {
  /** Lower end. */
  readonly low: number;
  /** Upper end. */
  readonly high: number;
}

/** Limits for the figures of the turn under the other settings. */
export interface WhatIfRanges {
  /** Share of the calls whose figures are not affected by unknown results. */
  readonly observed_share: number;
  /** 1 if the whole turn succeeds, else 0. */
  readonly whole: WhatIfRange;
  /** Absent without an upper bound: neither the turn nor an attempt has a time limit. */
  readonly duration_ms?: WhatIfRange;
  /** Number of attempts. */
  readonly attempts: WhatIfRange;
  /** Attempts beyond the first of each tool, without hedges. */
  readonly retries: WhatIfRange;
  /** Number of calls that succeed. */
  readonly calls_succeeded: WhatIfRange;
  /** Number of calls that fail. */
  readonly calls_failed: WhatIfRange;
  /** Number of calls that are not run. */
  readonly calls_skipped: WhatIfRange;
}

/** The figures of one turn, counted from its trace. */
export interface WhatIfSide {
  /** How the turn ended, or `interrupted` if its trace has no end. */
  readonly outcome: string;
  /** Duration of the turn in whole milliseconds. */
  readonly duration_ms: number;
  /** Attempts that began. */
  readonly attempts: number;
  /** Attempts beyond the first of each tool, without hedges. */
  readonly retries: number;
  /** Calls that ended with an output: their status is `success`, or their static fallback was returned. */
  readonly calls_succeeded: number;
  /** Calls that ended without one, after an attempt or a refusal. */
  readonly calls_failed: number;
  /** Calls that were not run: a call that they depend on was lost, or no time was left. */
  readonly calls_skipped: number;
}

/** A decision, or the end of a call, that differs between the recorded and the replayed turn. */
export interface WhatIfDifference {
  /** The place in words, such as `decision 2 of call 'a'` or `end of call 'a'`. */
  readonly where: string;
  /** Id of the call. */
  readonly call_id: string;
  /** Tool that was called. Absent when the traces do not name it. */
  readonly tool_id?: string;
  /** What happened in the recorded turn, and why. Absent when it has no counterpart there. */
  readonly recorded?: { readonly action: string; readonly reason: string };
  /** What happens in the replayed turn, and why. Absent when it has no counterpart there. */
  readonly replayed?: { readonly action: string; readonly reason: string };
}
