/** Parses the expectations of `simulate --expect`, and checks them. */
import { suggest } from '@holdfast/core/internal/plain';
import type { Comparison } from '@holdfast/simulate';
import { UsageError } from '../exit-codes.ts';
import { labMetrics, type LabMetric } from '@holdfast/simulate/report';
import { formatMetric } from './metrics.ts';

const operators = ['>=', '<=', '>', '<', '='] as const;
type Operator = (typeof operators)[number];

export interface Expectation {
  /** As the user wrote it. */
  readonly text: string;
  /** @default every policy */
  readonly policy?: string;
  readonly metric: LabMetric;
  readonly operator: Operator;
  readonly value: number;
}

export interface ExpectationResult {
  readonly expectation: string;
  readonly world: string;
  readonly policy: string;
  readonly holds: boolean;
  /** Expected and actual value, in a sentence. */
  readonly message: string;
}

const pattern = /^(?:(.+):)?\s*([a-z0-9_]+)\s*(>=|<=|>|<|=)\s*(-?\d+(?:\.\d+)?)\s*(%?)$/;

/** @throws UsageError that names the invalid part. */
export function parseExpectation(text: string, policies: readonly string[]): Expectation {
  const [, policy, key = '', operator = '', number = '', percent] = pattern.exec(text.trim()) ?? [];
  if (key === '')
    throw new UsageError(
      `--expect '${text}' is invalid. Write a metric, one of ${operators.join(' ')} and a number, such as success>=0.99.`,
    );
  const known = labMetrics.find((each) => each.key === key);
  if (!known)
    throw new UsageError(
      `--expect '${text}': there is no metric '${key}'.${suggestName(
        key,
        labMetrics.map((each) => each.key),
      )}`,
    );
  if (policy !== undefined && !policies.includes(policy))
    throw new UsageError(`--expect '${text}': the policy '${policy}' is not part of this run.${suggestName(policy, policies)}`);
  const value = percent === '%' ? Number(number) / 100 : Number(number);
  if (known.unit === 'fraction' && !(value >= 0 && value <= 1))
    throw new UsageError(`--expect '${text}': ${number} is not a fraction. Write a number from 0 to 1, or a percentage such as 99%.`);
  if (known.unit !== 'fraction' && percent === '%')
    throw new UsageError(`--expect '${text}': ${key} is not a fraction. Write a number without %.`);
  return { text, ...(policy === undefined ? {} : { policy }), metric: known, operator: operator as Operator, value };
}

function suggestName(given: string, names: readonly string[]): string {
  const near = suggest(given, names);
  return near === undefined ? ` Write one of ${names.join(', ')}.` : ` Did you mean '${near}'?`;
}

export function checkExpectations(expectations: readonly Expectation[], comparisons: readonly Comparison[]): readonly ExpectationResult[] {
  return expectations.flatMap((expectation) =>
    comparisons
      .filter(({ contender }) => expectation.policy === undefined || expectation.policy === contender)
      .map((comparison) => checkExpectation(expectation, comparison)),
  );
}

function checkExpectation({ text, metric, operator, value }: Expectation, { world, contender, summary }: Comparison): ExpectationResult {
  const found = summary[metric.property];
  const holds = found !== null && compare(found === 'never' ? Infinity : found, operator, value);
  const actual = found === null ? 'this world has no such metric' : `${metric.key} is ${formatExact(found, metric)}`;
  return { expectation: text, world, policy: contender, holds, message: `${world}, ${contender}: expected ${text}, but ${actual}.` };
}

/** With enough digits to show why the check fails. */
function formatExact(found: number | 'never', metric: LabMetric): string {
  if (found === 'never') return formatMetric(found, metric.unit);
  return String(Number(found.toFixed(metric.unit === 'fraction' ? 5 : 3)));
}

function compare(found: number, operator: Operator, value: number): boolean {
  switch (operator) {
    case '>=':
      return found >= value;
    case '<=':
      return found <= value;
    case '>':
      return found > value;
    case '<':
      return found < value;
    case '=':
      return found === value;
  }
}
