/** Owns the serialized form of samples: times are stored once for all series, and a series that did not change as one number. */
import type { Labels } from './alert.ts';
import type { KeptSeries } from './kept-series.ts';
import { fieldsOf } from '../../engine/plain/is-object.ts';

interface SavedSeries {
  readonly name: string;
  readonly labels: Labels;
  /** Index of the moment of its first sample. */
  readonly first: number;
  /** Values from there on, `null` where the series had none; a single number: that value at every moment. */
  readonly values: number | readonly (number | null)[];
}

/** Plain JSON data. */
export interface SavedHistory {
  readonly moments: readonly number[];
  readonly series: readonly SavedSeries[];
}

export function packSeries(moments: readonly number[], all: readonly KeptSeries[]): SavedHistory {
  const places = new Map(moments.map((moment, place) => [moment, place]));
  return { moments: [...moments], series: all.map((series) => pack(series, places, moments.length)) };
}

function pack({ name, labels, times, values }: KeptSeries, places: ReadonlyMap<number, number>, moments: number): SavedSeries {
  const first = places.get(times[0] ?? NaN) ?? moments;
  if (values.length === moments - first && values.every((value) => value === values[0]))
    return { name, labels, first, values: values[0] ?? [] };
  const packed: (number | null)[] = [];
  for (const [index, time] of times.entries()) {
    const place = (places.get(time) ?? 0) - first;
    while (packed.length < place) packed.push(null);
    packed[place] = values[index] ?? null;
  }
  return { name, labels, first, values: packed };
}

export function unpackSeries({ moments, series }: SavedHistory): readonly KeptSeries[] {
  return series.map(({ name, labels, first, values }) => {
    const since = moments.slice(first);
    const all = typeof values === 'number' ? since.map(() => values) : values;
    const there = all.flatMap((value, index) => (value === null ? [] : [{ time: since[index] ?? 0, value }]));
    return { name, labels, times: there.map(({ time }) => time), values: there.map(({ value }) => value) };
  });
}

export function isSavedHistory(value: unknown): value is SavedHistory {
  const { moments, series } = fieldsOf(value);
  if (!Array.isArray(moments) || !Array.isArray(series) || !moments.every((moment) => Number.isFinite(moment))) return false;
  return series.every((each: unknown) => isSavedSeries(each, moments.length));
}

function isSavedSeries(value: unknown, moments: number): boolean {
  const { name, labels, first, values } = fieldsOf(value);
  const isNamed = typeof name === 'string' && typeof labels === 'object' && labels !== null;
  const isPlaced = typeof first === 'number' && Number.isInteger(first) && first >= 0;
  if (!isNamed || !isPlaced) return false;
  if (!Array.isArray(values)) return Number.isFinite(values);
  return values.length <= Math.max(0, moments - first) && values.every((each) => each === null || Number.isFinite(each));
}
