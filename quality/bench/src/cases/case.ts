/** What a case is, and what it is told. */
import type { ProtectedJob } from '../contenders/contender.ts';
import type { Report } from '../report/report.ts';
import type { Effort } from '../timing/race.ts';

export interface CaseOptions {
  readonly quick: boolean;
  readonly effort: Effort;
  /** Leaves out entrants whose name has none of these in it. Empty: all run. */
  readonly only: readonly string[];
}

export interface Inspected extends ProtectedJob {
  /** How many calls of a tool one `call` stands for. @default 1 */
  readonly callsInOne?: number;
}

export interface Case {
  readonly name: string;
  readonly run: (options: CaseOptions) => Promise<Report>;
  /** A file for its report alone, beside README.md: it has other contenders and another method than the rest. */
  readonly page?: string;
  /** Holdfast's part alone, to look into. */
  readonly holdfast?: () => Promise<Inspected>;
}

export function choose<T extends { readonly name: string }>(all: readonly T[], only: readonly string[]): readonly T[] {
  if (only.length === 0) return all;
  return all.filter(({ name }) => only.some((part) => name.toLowerCase().includes(part.toLowerCase())));
}
