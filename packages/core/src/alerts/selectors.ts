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

/** Sum and count of a histogram. */
export function meanSeries(of: SeriesSelector): readonly [sum: SeriesSelector, count: SeriesSelector] {
  return [
    { ...of, metric: `${of.metric}_sum` },
    { ...of, metric: `${of.metric}_count` },
  ];
}
