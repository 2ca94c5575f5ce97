/** Owns the type of a stored series: its name, its labels and its samples. */
import type { Labels } from './alert.ts';
import type { Series } from './increase.ts';

export interface KeptSeries extends Series {
  readonly name: string;
  readonly labels: Labels;
  readonly times: number[];
  readonly values: number[];
}
