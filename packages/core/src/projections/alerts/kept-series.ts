/** Owns what is kept of a series: its samples, and what they are of. */
import type { Labels } from './alert.ts';
import type { Series } from './increase.ts';

export interface KeptSeries extends Series {
  readonly name: string;
  readonly labels: Labels;
  readonly times: number[];
  readonly values: number[];
}
