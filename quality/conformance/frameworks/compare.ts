/** Owns comparing a bare run with a wrapped one: by test, and by families of failures. */
import type { SuiteResults, TestResult } from './run-suite.ts';

export interface Difference {
  /** `file > test`. */
  readonly test: string;
  readonly bare: TestResult['state'] | 'absent';
  readonly wrapped: TestResult['state'] | 'absent';
  /** The first lines of the failure. */
  readonly error?: string;
}

export interface Group {
  /** What the failures have in common. */
  readonly family: string;
  readonly differences: readonly Difference[];
}

/** Tests that end otherwise when tools are wrapped. `control`: tests that it changes as well are left out. */
export function compare(bare: SuiteResults, wrapped: SuiteResults, control?: SuiteResults): readonly Difference[] {
  const tests = [...new Set([...bare.keys(), ...wrapped.keys()])];
  return tests.flatMap((test): readonly Difference[] => {
    const [before, after] = [bare.get(test), wrapped.get(test)];
    const [from, to] = [stateOf(before), stateOf(after)];
    if (from === to || (control !== undefined && differs(bare, control, test))) return [];
    const error = after?.error ?? before?.error;
    return [{ test, bare: from, wrapped: to, ...(error === undefined ? {} : { error }) }];
  });
}

const stateOf = (result: TestResult | undefined): Difference['bare'] => result?.state ?? 'absent';

const differs = (one: SuiteResults, other: SuiteResults, test: string): boolean => one.get(test)?.state !== other.get(test)?.state;

/** Largest groups first. */
export function groups(differences: readonly Difference[]): readonly Group[] {
  const families = new Map<string, Difference[]>();
  for (const each of differences) families.set(familyOf(each), [...(families.get(familyOf(each)) ?? []), each]);
  return [...families]
    .map(([family, members]) => ({ family, differences: members }))
    .toSorted((one, other) => other.differences.length - one.differences.length);
}

/** The first line of a failure, without what differs from test to test: names, numbers, values. */
export function familyOf({ bare, wrapped, error = '' }: Difference): string {
  const [line = ''] = error.split('\n');
  const general = line
    .replaceAll(/(['"`])(?:(?!\1).)*\1/g, '…')
    .replaceAll(/\d+/g, 'n')
    .trim()
    .slice(0, 120);
  return `${bare} → ${wrapped}: ${general}`;
}
