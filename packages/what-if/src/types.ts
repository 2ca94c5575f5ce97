/** Owns the options and the result of a what-if over many turns. Plain JSON data, except for the functions in `WhatIfOptions`. */
import type { TraceEvent } from '@holdfast/core';
import type { ReplayOptions } from '@holdfast/core/replay';

/** The events of one turn, from the first on, as recorded. */
export type RecordedTurn = readonly TraceEvent[];

/** The changed settings; everything else stays as recorded. */
export type PolicyChanges = Pick<ReplayOptions, 'recoveryRules' | 'policy' | 'tools' | 'turn'>;

/** The real result lies within, inclusive. `low` equals `high` if nothing depends on unobserved attempts; `high` is `Infinity` if no setting limits it. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

export interface WhatIfOptions {
  /** An attempt made this much earlier or later than the recorded one counts as the same. @default 100 */
  readonly sameMomentMs?: number | undefined;
  /** Maximum number of attempts of one turn that are not in the record; a turn with more is left out. @default 2000 */
  readonly mostUnknown?: number | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** Called regularly; `true` ends the evaluation with an Error of the code `CANCELLED`. */
  readonly isCancelled?: (() => boolean) | undefined;
}

export interface Figures<Value> {
  /** Calls with a complete or partial result of their own tool, an alternative or a fallback. */
  readonly succeeded: Value;
  readonly failed: Value;
  /** Number of attempts. */
  readonly requests: Value;
  readonly retries: Value;
  /** Total duration of the calls. */
  readonly timeMs: Value;
}

export interface Compared {
  readonly calls: number;
  readonly recorded: Figures<number>;
  readonly changed: Figures<Range>;
  /** Share of the calls whose figures do not depend on unobserved attempts; 1 if there are no calls. */
  readonly observedShare: number;
}

export interface WhatIfCall extends Compared {
  readonly callId: string;
  readonly tool: string;
}

export interface WhatIfTurn extends Compared {
  readonly turnId: string;
  /** `1` if the turn succeeded as a whole, else `0`. */
  readonly whole: { readonly recorded: number; readonly changed: Range };
  /** Duration of the turn. */
  readonly duration: { readonly recorded: number; readonly changed: Range };
  /** In the order of the plan. */
  readonly parts: readonly WhatIfCall[];
}

/** Why a trace was not evaluated. */
export type LeftOutReason = 'lone_call' | 'interrupted' | 'unreadable' | 'older_format' | 'duplicate' | 'too_much';

export interface LeftOut {
  /** `''` if the trace does not contain it. */
  readonly turnId: string;
  /** Index among the given traces. */
  readonly index: number;
  readonly reason: LeftOutReason;
  readonly message: string;
}

export interface WhatIf {
  /** All calls together. */
  readonly total: Compared;
  /** Number of turns that succeeded as a whole, and the total of their durations. */
  readonly whole: { readonly recorded: number; readonly changed: Range };
  readonly duration: { readonly recorded: number; readonly changed: Range };
  /** By planned tool, sorted by name. */
  readonly tools: Readonly<Record<string, Compared>>;
  /** In the order in which they began. */
  readonly turns: readonly WhatIfTurn[];
  readonly leftOut: readonly LeftOut[];
  /** The assumptions made, as sentences. */
  readonly assumptions: readonly string[];
}
