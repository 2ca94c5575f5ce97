/** Owns which series a rule looks at. */
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

/** The two series of a histogram that make its mean. */
export type MeanSeries = readonly [sum: SeriesSelector, count: SeriesSelector];

/** The same answer for the same selector, so that what they select can be remembered. */
const known = new WeakMap<SeriesSelector, MeanSeries>();

/** Sum and count of a histogram. */
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
