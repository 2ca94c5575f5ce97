/** Owns what users expect of a run: the reading of it, and whether it holds. */
import { suggest } from '@holdfast/core/internal/plain';
import type { Comparison } from '@holdfast/simulate';
import { UsageError } from '../exit-codes.ts';
import { labFigures, type LabFigure, shownFigure } from './figures.ts';

const operators = ['>=', '<=', '>', '<', '='] as const;
type Operator = (typeof operators)[number];

export interface Expectation {
  /** As it was written. */
  readonly text: string;
  /** @default every policy */
  readonly policy?: string;
  readonly figure: LabFigure;
  readonly operator: Operator;
  readonly value: number;
}

export interface Checked {
  readonly expectation: string;
  readonly world: string;
  readonly policy: string;
  readonly holds: boolean;
  /** What was found instead, in a sentence. */
  readonly message: string;
}

const form = /^(?:(.+):)?\s*([a-z0-9_]+)\s*(>=|<=|>|<|=)\s*(-?\d+(?:\.\d+)?)\s*(%?)$/;

/** @throws UsageError naming the part that is wrong. */
export function readExpectation(text: string, policies: readonly string[]): Expectation {
  const [, policy, key = '', operator = '', number = '', percent] = form.exec(text.trim()) ?? [];
  if (key === '')
    throw new UsageError(
      `--expect '${text}' is no expectation. Write a figure, one of ${operators.join(' ')} and a number, such as success>=0.99.`,
    );
  const known = labFigures.find((each) => each.key === key);
  if (!known)
    throw new UsageError(
      `--expect '${text}': there is no figure '${key}'.${meant(
        key,
        labFigures.map((each) => each.key),
      )}`,
    );
  if (policy !== undefined && !policies.includes(policy))
    throw new UsageError(`--expect '${text}': the policy '${policy}' is not among those that run.${meant(policy, policies)}`);
  const value = percent === '%' ? Number(number) / 100 : Number(number);
  if (known.unit === 'share' && !(value >= 0 && value <= 1))
    throw new UsageError(`--expect '${text}': ${number} is no share. Write a number from 0 to 1, or a percentage such as 99%.`);
  if (known.unit !== 'share' && percent === '%') throw new UsageError(`--expect '${text}': ${key} is no share. Write a number without %.`);
  return { text, ...(policy === undefined ? {} : { policy }), figure: known, operator: operator as Operator, value };
}

function meant(given: string, names: readonly string[]): string {
  const near = suggest(given, names);
  return near === undefined ? ` Write one of ${names.join(', ')}.` : ` Did you mean '${near}'?`;
}

export function checkExpectations(expectations: readonly Expectation[], comparisons: readonly Comparison[]): readonly Checked[] {
  return expectations.flatMap((expectation) =>
    comparisons
      .filter(({ contender }) => expectation.policy === undefined || expectation.policy === contender)
      .map((comparison) => checkExpectation(expectation, comparison)),
  );
}

function checkExpectation({ text, figure, operator, value }: Expectation, { world, contender, summary }: Comparison): Checked {
  const found = summary[figure.property];
  const holds = found !== null && compares(found === 'never' ? Infinity : found, operator, value);
  const told = found === null ? 'there is no such figure in this world' : `${figure.key} is ${exact(found, figure)}`;
  return { expectation: text, world, policy: contender, holds, message: `${world}, ${contender}: expected ${text}, but ${told}.` };
}

/** With the digits that decide. */
function exact(found: number | 'never', figure: LabFigure): string {
  if (found === 'never') return shownFigure(found, figure.unit);
  return String(Number(found.toFixed(figure.unit === 'share' ? 5 : 3)));
}

function compares(found: number, operator: Operator, value: number): boolean {
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
