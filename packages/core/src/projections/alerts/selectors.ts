/** Owns which series a rule selects. */
import type { Labels } from './alert.ts';
import type { AlertRule, SeriesSelector } from './rule.ts';

export function selectorsOf({ condition }: AlertRule): readonly SeriesSelector[] {
  switch (condition.kind) {
    case 'ratio':
      return [condition.part, condition.whole];
    case 'mean':
      return [...meanSeries(condition.of), ...(condition.beside ? meanSeries(condition.beside) : [])];
    case 'increase':
    case 'value':
      return [condition.of];
  }
}

/** The two series of a histogram that its mean is calculated from. */
export type MeanSeries = readonly [sum: SeriesSelector, count: SeriesSelector];

/** The same selectors for the same histogram, so that the selected series can be cached. */
const known = new WeakMap<SeriesSelector, MeanSeries>();

/** Selectors of the sum and count of a histogram. */
export function meanSeries(of: SeriesSelector): MeanSeries {
  const before = known.get(of);
  if (before) return before;
  const both: MeanSeries = [
    { ...of, metric: `${of.metric}_sum` },
    { ...of, metric: `${of.metric}_count` },
  ];
  known.set(of, both);
  return both;
}

/** Whether a selector selects a series with these labels. */
export function selects({ labels: wanted = {} }: SeriesSelector, labels: Labels): boolean {
  for (const name in wanted) {
    const value = wanted[name] ?? '';
    const has = labels[name] ?? '';
    if (typeof value === 'string' ? has !== value : !value.includes(has)) return false;
  }
  return true;
}
