/** Owns the results that are kept: what ran, and every difference with the reason that argues it. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compare, type Difference } from './compare.ts';
import type { Framework, Way } from './framework.ts';
import type { SuiteResults, TestResult } from './run-suite.ts';

export const resultsPath = 'quality/conformance/frameworks/results.json';

export type Counts = Readonly<Record<TestResult['state'], number>>;

export interface WayResults {
  readonly name: string;
  readonly title: string;
  /** Nothing of Holdfast's was wrapped. */
  readonly isControl?: boolean;
  readonly wrapped: Counts;
  readonly differences: readonly Difference[];
}

export interface FrameworkResults {
  readonly name: string;
  readonly title: string;
  readonly adapter: string;
  readonly repository: string;
  readonly version: string;
  readonly commit: string;
  /** Test files, and the results of a run without Holdfast. */
  readonly files: number;
  readonly bare: Counts;
  readonly ways: readonly WayResults[];
}

export function countsOf(results: SuiteResults): Counts {
  const states = [...results.values()].map(({ state }) => state);
  const count = (state: TestResult['state']): number => states.filter((each) => each === state).length;
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped'), hung: count('hung') };
}

/** What was run: the version of the package, and the commit of the checkout. */
export function versionOf({ folder, manifest }: Framework, checkout: string): { readonly version: string; readonly commit: string } {
  const { version } = JSON.parse(readFileSync(join(checkout, manifest ?? join(folder, 'package.json')), 'utf8')) as { version: string };
  try {
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: checkout,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
    return { version, commit };
  } catch {
    return { version, commit: 'unknown' };
  }
}

export function resultsOfWay(
  way: Way,
  runs: { bare: SuiteResults; wrapped: SuiteResults; control?: SuiteResults | undefined },
): WayResults {
  const found = compare(runs.bare, runs.wrapped, runs.control);
  // What a control saw is of no interest.
  const differences = way.isControl ? found.map(({ error: _error, ...rest }) => rest) : found;
  return { name: way.name, title: way.title, wrapped: countsOf(runs.wrapped), differences };
}

export function readResults(path: string): readonly FrameworkResults[] {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as readonly FrameworkResults[]) : [];
}

/** Replaces the results of one framework; `order` has the names of all. */
export function saveResults(path: string, results: FrameworkResults, order: readonly string[]): void {
  const others = readResults(path).filter(({ name }) => name !== results.name);
  const all = [...others, results].toSorted((one, other) => order.indexOf(one.name) - order.indexOf(other.name));
  writeFileSync(path, `${JSON.stringify(all, undefined, 2)}\n`);
}
