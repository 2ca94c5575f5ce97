/** Owns the words between the lab's program and its workers. */
import type { RunMetrics } from '@holdfast/simulate';

/** One run. Everything by name: what it names is made where it runs. */
export interface Job {
  readonly world: string;
  readonly contender: string;
  readonly seed: string;
}

export interface Done {
  readonly index: number;
  readonly metrics: RunMetrics;
}
