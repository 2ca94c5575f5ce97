/** Owns the formatting of timings. */
import { median, medianRatio, quantile } from '../timing/statistics.ts';
import type { Timing } from '../timing/race.ts';
import type { Table, Target } from './report.ts';

export function timingTable(timings: readonly Timing[], reference: string, title?: string): Table {
  const base = roundsOf(timings, reference);
  return {
    ...(title === undefined ? {} : { title }),
    columns: ['', 'median', 'p25', 'p75', `× ${reference}`],
    rows: timings.map(({ name, rounds }) => [
      name,
      duration(median(rounds)),
      duration(quantile(rounds, 0.25)),
      duration(quantile(rounds, 0.75)),
      times(medianRatio(rounds, base)),
    ]),
  };
}

export interface RatioWanted {
  readonly of: string;
  readonly to: string;
  readonly atMost: number;
  /** The target as text. @default from `atMost` and `to` */
  readonly wanted?: string;
}

/** A target that compares two entrants of one race. Nothing if one of them did not run. */
export function ratioTarget(timings: readonly Timing[], { of, to, atMost, wanted = `≤ ${atMost} × ${to}` }: RatioWanted): Target[] {
  const ones = timings.find(({ name }) => name === of);
  const others = timings.find(({ name }) => name === to);
  if (!ones || !others) return [];
  const ratio = medianRatio(ones.rounds, others.rounds);
  return [{ wanted, ...seenRatio(ratio, atMost) }];
}

export function duration(nanoseconds: number): string {
  if (nanoseconds < 1_000) return `${nanoseconds.toFixed(0)} ns`;
  if (nanoseconds < 1_000_000) return `${(nanoseconds / 1_000).toPrecision(3)} µs`;
  return `${(nanoseconds / 1_000_000).toPrecision(3)} ms`;
}

/** The ratio as text, and whether it is within its limit. Where two digits would hide that it is not, a third one shows it. */
export function seenRatio(ratio: number, atMost: number): Omit<Target, 'wanted'> {
  const met = ratio <= atMost;
  const text = !met && Number(times(ratio)) <= atMost ? ratio.toFixed(3) : times(ratio);
  return { seen: `${text} ×`, met, ratio };
}

function times(ratio: number): string {
  return ratio >= 100 ? ratio.toFixed(0) : ratio >= 10 ? ratio.toFixed(1) : ratio.toFixed(ratio < 0.1 ? 3 : 2);
}

function roundsOf(timings: readonly Timing[], wanted: string): readonly number[] {
  return timings.find(({ name }) => name === wanted)?.rounds ?? [];
}
