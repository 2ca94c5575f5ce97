/** Owns the messages between the lab's program and its workers. */
import type { RunMetrics } from '@holdfast/simulate';

/** One run, described by names; its objects are created where it runs. */
export interface Job {
  readonly world: string;
  readonly contender: string;
  readonly seed: string;
  /** Processes of the world. @default as in the world */
  readonly processes?: number;
}

export interface Done {
  readonly index: number;
  readonly metrics: RunMetrics;
}
