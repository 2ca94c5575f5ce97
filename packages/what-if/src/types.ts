/** Owns what a what-if over many turns is asked with, and what it answers. Plain JSON data, but for the functions in `WhatIfOptions`. */
import type { TraceEvent } from '@holdfast/core';
import type { ReplayOptions } from '@holdfast/core/replay';

/** The events of one turn, from its first on, as they were recorded. */
export type RecordedTurn = readonly TraceEvent[];

/** What is to be otherwise; what is left out stays as it was recorded. */
export type PolicyChanges = Pick<ReplayOptions, 'recoveryRules' | 'policy' | 'tools' | 'turn'>;

/** The truth lies within, both ends included. `low` equals `high` where nothing depends on what was not observed; `high` is `Infinity` where settings bound nothing. */
export interface Range {
  /** Lower bound. */
  readonly low: number;
  /** Upper bound; `Infinity` if there is none. */
  readonly high: number;
}

/** Limits of a what-if, its progress and its cancellation. */
export interface WhatIfOptions {
  /** An attempt made this much earlier or later than the recorded one counts as the same. @default 100 */
  readonly sameMomentMs?: number | undefined;
  /** Attempts of one turn that no record tells about; a turn with more is left out. @default 2000 */
  readonly mostUnknown?: number | undefined;
  /** Receives the number of turns that are done, and of all that are read. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** Asked now and then; `true` gives up with an Error of the code `CANCELLED`. */
  readonly isCancelled?: (() => boolean) | undefined;
}

/** Figures of one or several calls. */
export interface Figures<Value> {
  /** Calls with a result, whole or in part, of their own tool, an alternative or a fallback. */
  readonly succeeded: Value;
  /** Calls without such a result, skipped ones included. */
  readonly failed: Value;
  /** Attempts made: what tools were asked. */
  readonly requests: Value;
  /** Retries that were scheduled, of the planned tool or an alternative. */
  readonly retries: Value;
  /** From the begin of each call to its end, together. */
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
  /** Share of the calls whose figures depend on nothing that was not observed; 1 where there are none. */
  readonly observedShare: number;
}

/** One call of a turn. */
export interface WhatIfCall extends Compared {
  /** Id of the call, unique within its turn. */
  readonly callId: string;
  /** Name of the tool that was planned. */
  readonly tool: string;
}

/** One turn, with the figures of all its calls. */
export interface WhatIfTurn extends Compared {
  /** Id of the turn. */
  readonly turnId: string;
  /** `1` if the turn succeeded as a whole, else `0`. */
  readonly whole: { readonly recorded: number; readonly changed: Range };
  /** From the begin of the turn to its end. */
  readonly duration: { readonly recorded: number; readonly changed: Range };
  /** In the order of the plan. */
  readonly parts: readonly WhatIfCall[];
}

/** Why a trace was not asked. */
export type LeftOutReason = 'lone_call' | 'interrupted' | 'unreadable' | 'older_format' | 'duplicate' | 'too_much';

/** A trace that was not used. */
export interface LeftOut {
  /** `''` where the trace does not even tell. */
  readonly turnId: string;
  /** Of the trace among those that were given. */
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
  /** Turns that succeeded as a whole, and their durations together. */
  readonly whole: { readonly recorded: number; readonly changed: Range };
  /** From the begin of each turn to its end, in milliseconds, together. */
  readonly duration: { readonly recorded: number; readonly changed: Range };
  /** By the tool that was planned; sorted by name. */
  readonly tools: Readonly<Record<string, Compared>>;
  /** In the order in which they began. */
  readonly turns: readonly WhatIfTurn[];
  /** Traces that were not used, in the order in which they were given. */
  readonly leftOut: readonly LeftOut[];
  /** What had to be assumed, in sentences. */
  readonly assumptions: readonly string[];
}
