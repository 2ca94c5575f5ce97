/** Owns the reasons for differences: what users of the framework would choose, and why. */
import type { Difference } from './compare.ts';

export interface Argument {
  /** Unique, for the data. */
  readonly id: string;
  /** Names of frameworks. */
  readonly frameworks: readonly string[];
  /** What differs, for the page. */
  readonly title: string;
  /** Why users of the framework would choose it. */
  readonly reason: string;
  /** Found in the test's name or in the failure. */
  readonly found: RegExp;
}

export const argued: readonly Argument[] = [];

export const argumentsOf = (framework: string): readonly Argument[] => argued.filter(({ frameworks }) => frameworks.includes(framework));

/** What hangs is never argued. */
export function argumentOf(framework: string, { test, error = '', wrapped }: Difference): Argument | undefined {
  if (wrapped === 'hung') return undefined;
  return argumentsOf(framework).find(({ found }) => found.test(`${test}\n${error}`));
}
