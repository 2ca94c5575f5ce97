/**
 * Owns the types of the history contract's cases, and its assertions. Does not own the cases.
 */
import type { KeptHistory } from '../projections/history/kept-history.ts';
import { differenceOf } from './store-contract-check.ts';

/** Settings of the history under test. */
export interface HistoryContractSettings {
  /** The current time, milliseconds since 1970. */
  readonly now: () => number;
  /** Retention of records, in days. */
  readonly retentionDays: number;
}

/** Options of `historyContract`: how to open the history under test. */
export interface HistoryContractOptions {
  /** Opens an empty history. */
  readonly open: (settings: HistoryContractSettings) => KeptHistory | Promise<KeptHistory>;
  /** Opens the data of `history` again, like another process, while `history` is open. Omit it for histories of a single process. */
  readonly reopen?: (history: KeptHistory, settings: HistoryContractSettings) => KeptHistory | Promise<KeptHistory>;
}

/** One case of the history contract. */
export interface HistoryContractCase {
  /** Name of the case, for the test runner. */
  readonly name: string;
  /** Rejects with an `Error` that describes the violation. */
  readonly run: () => Promise<void>;
}

/** A history in one or two processes, with a manual clock. */
export interface HistoryScene {
  readonly history: KeptHistory;
  /** Opens the same history like another process. */
  readonly other: () => Promise<KeptHistory>;
  now: number;
}

export type HistoryCaseBody = (scene: HistoryScene) => Promise<void>;

/** Start time of all cases, milliseconds since 1970; a full hour. */
export const start: number = Date.UTC(2026, 0, 5, 8);
export const retentionDays = 2;

/** Throws with `message` when `holds` is false. */
export function checkThat(holds: boolean, message: string): asserts holds {
  if (!holds) throw new Error(`History contract: ${message}`);
}

/** Throws with both values when they differ as JSON; the order of keys does not matter. */
export function checkSame(actual: unknown, expected: unknown, message: string): void {
  const difference = differenceOf(actual, expected);
  checkThat(difference === undefined, `${message}${difference ?? ''}`);
}

/** Runs maintenance and waits until everything is written. */
export async function tidyAndFlush(history: KeptHistory): Promise<void> {
  history.tidy();
  await history.flush();
}
