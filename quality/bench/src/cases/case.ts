/** The interface of a case. */
import type { ProtectedJob } from '../contenders/contender.ts';
import type { Report } from '../report/report.ts';
import type { Effort } from '../timing/race.ts';

export interface CaseOptions {
  readonly quick: boolean;
  readonly effort: Effort;
  /** Runs only entrants whose name contains one of these. Empty: all run. */
  readonly only: readonly string[];
}

export interface Inspected extends ProtectedJob {
  /** How many tool calls one `call` makes. @default 1 */
  readonly callsInOne?: number;
}

export interface Case {
  readonly name: string;
  readonly run: (options: CaseOptions) => Promise<Report>;
  /** A separate file for the report, next to README.md: it has other contenders and another method than the rest. */
  readonly page?: string;
  /** Holdfast's part alone, for profiling. */
  readonly holdfast?: () => Promise<Inspected>;
}

export function choose<T extends { readonly name: string }>(all: readonly T[], only: readonly string[]): readonly T[] {
  if (only.length === 0) return all;
  return all.filter(({ name }) => only.some((part) => name.toLowerCase().includes(part.toLowerCase())));
}
