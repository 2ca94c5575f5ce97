/**
 * Owns the port to a durable engine: a journal that outlives the process. It has types and requirements only; `run-journaled-turn.ts` uses it.
 *
 * Requirements on the engine
 * 1. The `work` of a step runs once its command is in the journal, and does not run if the journal already has its result. A step whose process died runs
 *    again, so it runs at least once. Its text is opaque to the engine.
 * 2. Results are journaled in the order in which their `work` resolves: a later one never without the earlier ones.
 * 3. `next` returns the entries of the journal in the journal's order, and the same entries when the turn is run again from its journal.
 * 4. In a process that takes over a turn, no `work` starts before `next` has returned the existing entries: until then the turn only replays them.
 * Guarantee to the engine
 * 5. `work` never rejects. The order of commands depends only on the results of `next`, so a turn that is run again requests the same commands.
 */

/** An entry of a journal: the result of a step, a timer that fired, or a request to cancel the turn. */
export type JournalEntry =
  | { readonly type: 'step'; readonly name: string; readonly text: string }
  | { readonly type: 'timer'; readonly name: string }
  /** Cancellation of the turn was requested. */
  | { readonly type: 'cancelled'; readonly reason?: string };

/** The journal of one turn, as a durable engine offers it to the process that runs the turn. */
export interface TurnJournal {
  /** Maximum size of a step's text, in bytes of UTF-8. Larger outputs are truncated. @default no limit */
  readonly maxBytes?: number | undefined;
  /** Starts a step. Steps run concurrently. */
  step(name: string, work: () => Promise<string>): void;
  /** Sets a timer that survives the process. */
  timer(name: string, delayMs: number): void;
  /** Waits for the next entry of the journal. */
  next(): Promise<JournalEntry>;
}
