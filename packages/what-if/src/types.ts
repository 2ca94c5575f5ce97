/** Owns the options and the result of a what-if over many turns. Plain JSON data, except for the functions in `WhatIfOptions`. */
import type { TraceEvent } from '@holdfast/core';
import type { ReplayOptions } from '@holdfast/core/replay';

/** The events of one turn or single call, from the first on, as recorded. */
export type RecordedTurn = readonly TraceEvent[];

/** The changed settings; everything else stays as recorded. */
export type PolicyChanges = Pick<ReplayOptions, 'recoveryRules' | 'policy' | 'tools' | 'turn'>;

/** The real result lies within, inclusive. `low` equals `high` if nothing depends on unobserved attempts; `high` is `Infinity` if no setting limits it. */
export interface Range {
  /** Lower bound. */
  readonly low: number;
  /** Upper bound; `Infinity` if there is none. */
  readonly high: number;
}

/** Limits of a what-if, its progress and its cancellation. */
export interface WhatIfOptions {
  /**
   * An attempt made this much earlier or later than the recorded one counts as the same; `Infinity`: at any moment, so that a call that is only moved stays known.
   * @default 100
   */
  readonly sameMomentMs?: number | undefined;
  /** Maximum number of attempts of one turn that are not in the record; a turn with more is left out. @default 2000 */
  readonly maxUnknown?: number | undefined;
  /** Receives the number of turns that are done, and of all that are read. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** Called regularly; `true` ends the evaluation with an Error of the code `CANCELLED`. */
  readonly isCancelled?: (() => boolean) | undefined;
}

/** Figures of one or several calls. */
export interface Figures<Value> {
  /** Calls with a complete or partial result of their own tool, an alternative or a fallback. */
  readonly succeeded: Value;
  /** Calls that ran without such a result, or were refused. */
  readonly failed: Value;
  /** Calls that were not run, because a call they depend on was lost or no time was left. */
  readonly skipped: Value;
  /** Number of attempts. */
  readonly requests: Value;
  /** Attempts beyond the first of each tool, without hedges. */
  readonly retries: Value;
  /** Total duration of the calls. */
  readonly timeMs: Value;
}

/** Figures as recorded beside those under the changed settings. */
export interface Compared {
  /** How many calls the figures are of. */
  readonly calls: number;
  /** As recorded. */
  readonly recorded: Figures<number>;
  /** Under the changed settings, as ranges. */
  readonly changed: Figures<Range>;
  /** Share of the calls whose figures do not depend on unobserved attempts; 1 if there are no calls. */
  readonly observedShare: number;
}

/** One call of a turn. */
export interface WhatIfCall extends Compared {
  /** Id of the call, unique within its turn. */
  readonly callId: string;
  /** Name of the tool that was planned. */
  readonly toolName: string;
}

/** One turn, with the figures of all its calls. */
export interface WhatIfTurn extends Compared {
  /** Id of the turn. */
  readonly turnId: string;
  /** `1` if the turn succeeded as a whole, else `0`. */
  readonly whole: { readonly recorded: number; readonly changed: Range };
  /** Duration of the turn. */
  readonly duration: { readonly recorded: number; readonly changed: Range };
  /** In the order of the plan. */
  readonly parts: readonly WhatIfCall[];
}

/** Why a trace was not evaluated. */
export type LeftOutReason = 'no_settings' | 'interrupted' | 'unreadable' | 'older_format' | 'duplicate' | 'too_much';

/** A trace that was not used. */
export interface LeftOut {
  /** `''` if the trace does not contain it. */
  readonly turnId: string;
  /** Index among the given traces. */
  readonly index: number;
  /** Why it was not used. */
  readonly reason: LeftOutReason;
  /** The reason in words. */
  readonly message: string;
}

/** How recorded turns would have ended under other settings. */
export interface WhatIf {
  /** All calls together. */
  readonly total: Compared;
  /** Number of turns that succeeded as a whole, and the total of their durations. */
  readonly whole: { readonly recorded: number; readonly changed: Range };
  /** From the start of each turn to its end, in milliseconds, together. */
  readonly duration: { readonly recorded: number; readonly changed: Range };
  /** By planned tool, sorted by name. */
  readonly tools: Readonly<Record<string, Compared>>;
  /** In the order in which they began. */
  readonly turns: readonly WhatIfTurn[];
  /** Traces that were not used, in the order in which they were given. */
  readonly leftOut: readonly LeftOut[];
  /** The assumptions made, as sentences. */
  readonly assumptions: readonly string[];
}
