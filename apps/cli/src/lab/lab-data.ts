/** The output of `simulate --output json`: a line per world and policy. */
import type { Comparison } from '@holdfast/simulate';
import { comparisonData } from '@holdfast/simulate/report';
import type { ExpectationResult } from './expectations.ts';

export function labData(comparison: Comparison, results: readonly ExpectationResult[], withSeries: boolean): unknown {
  const expectations = results
    .filter((each) => each.world === comparison.world && each.policy === comparison.contender)
    .map(({ expectation, holds, message }) => ({ expectation, holds, ...(holds ? {} : { message }) }));
  const { runs, ...data } = comparisonData(comparison, withSeries);
  return { ...data, ...(expectations.length === 0 ? {} : { expectations }), runs };
}
