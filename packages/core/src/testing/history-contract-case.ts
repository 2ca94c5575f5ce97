/**
 * Owns the shape of the history contract's cases, and how it compares and complains. Does not own the cases.
 */
import type { KeptHistory } from '../projections/history/kept-history.ts';
import { differenceOf } from './store-contract-check.ts';

/** Settings that the history under test has to run with. */
export interface HistoryContractSettings {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** How long records are to be kept, in days. */
  readonly retentionDays: number;
}

/** How the history contract opens the histories that it tests. */
export interface HistoryContractOptions {
  /** Opens a history with nothing in it. */
  readonly open: (settings: HistoryContractSettings) => KeptHistory | Promise<KeptHistory>;
  /** Opens what `history` keeps once more, as another process would, while `history` is open. Leave it out for histories of one process. */
  readonly reopen?: (history: KeptHistory, settings: HistoryContractSettings) => KeptHistory | Promise<KeptHistory>;
}

/** One case of the history contract. */
export interface HistoryContractCase {
  /** Name of the case, for the test runner. */
  readonly name: string;
  /** Rejects with an `Error` that says which promise the history broke. */
  readonly run: () => Promise<void>;
}

/** One history in one or two processes, on a clock turned by hand. */
export interface HistoryScene {
  readonly history: KeptHistory;
  /** The same one, as another process has it. */
  readonly other: () => Promise<KeptHistory>;
  now: number;
}

export type HistoryCaseBody = (scene: HistoryScene) => Promise<void>;

/** When everything begins, milliseconds since 1970; a full hour. */
export const start: number = Date.UTC(2026, 0, 5, 8);
export const retentionDays = 2;

/** Throws with `what` when `holds` is false. */
export function checkThat(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`History contract: ${what}`);
}

/** Throws with both values when they differ as JSON data; the order of keys does not count. */
export function checkSame(actual: unknown, expected: unknown, what: string): void {
  const difference = differenceOf(actual, expected);
  checkThat(difference === undefined, `${what}${difference ?? ''}`);
}

/** Writes and does what is due. */
export async function tidied(history: KeptHistory): Promise<void> {
  history.tidy();
  await history.flush();
}
