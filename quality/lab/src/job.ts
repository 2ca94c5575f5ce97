/** Owns the messages between the lab's program and its workers. */
import type { RunMetrics } from '@holdfast/simulate';
import type { Contest } from './random/contest.ts';

/** One run, described by names; its objects are created where it runs. */
export interface Job {
  readonly world: string;
  readonly contender: string;
  readonly seed: string;
  /** Processes of the world. @default as in the world */
  readonly processes?: number;
}

/** A contest in a generated world, described by names. */
export interface ContestJob {
  /** Seed of the world. */
  readonly random: string;
  /** Names of the contenders, `none` first. */
  readonly contenders: readonly string[];
  /** Draws a smaller world. @default false */
  readonly isSmall?: boolean;
  /** Runs of each contender. @default as many as the world needs */
  readonly runs?: number;
}

export type Task = Job | ContestJob;

/** What a worker makes of a task. */
export type Outcome<Of extends Task> = Of extends Job ? RunMetrics : Contest;

export interface Done {
  readonly index: number;
  readonly outcome: RunMetrics | Contest;
}
