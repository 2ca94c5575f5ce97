/**
 * Owns the port to a durable engine: a journal that outlives the process. Data and duties only; `run-journaled-turn.ts` uses it.
 *
 * The engine's duties
 * 1. A step's `work` runs once its command is in the journal, and not at all where the journal has its result already. A step whose process died is worked
 *    again: at least once. Its text is opaque.
 * 2. Results are journaled in the order in which their works resolve: a later one never without the earlier.
 * 3. `next` answers what the journal holds, in the journal's order: the same again when the turn is run again from its journal.
 * 4. In a process that takes a turn over, no work begins before `next` has answered what the journal held: until then the turn only repeats what has happened.
 * 5. `work` never rejects. Commands are asked for in an order that depends on what `next` has answered alone, so a turn that is run again asks for the same.
 */

/** What a journal holds: the result of a step, a timer that rang, or a request to cancel the turn. */
export type JournalEntry =
  | { readonly type: 'step'; readonly name: string; readonly text: string }
  | { readonly type: 'timer'; readonly name: string }
  /** Somebody asked for the turn's end. */
  | { readonly type: 'cancelled'; readonly reason?: string };

/** The journal of one turn, as a durable engine offers it to the process that runs the turn. */
export interface TurnJournal {
  /** What a step's text may take, in bytes of UTF-8. Outputs that do not fit are cut. @default no limit */
  readonly mostBytes?: number | undefined;
  /** Begins a step. Steps run side by side. */
  step(name: string, work: () => Promise<string>): void;
  /** Sets a timer that survives the process. */
  timer(name: string, delayMs: number): void;
  /** What the journal holds next; waits for it. */
  next(): Promise<JournalEntry>;
}
