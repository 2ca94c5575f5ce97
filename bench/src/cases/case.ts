/** What a case is, and what it is told. */
import type { ProtectedJob } from '../contenders/contender.ts';
import type { Report } from '../report/report.ts';
import type { Effort, Entrant } from '../timing/race.ts';

export interface CaseOptions {
  readonly quick: boolean;
  readonly effort: Effort;
  /** Leaves out entrants whose name has none of these in it. Empty: all run. */
  readonly only: readonly string[];
}

export interface Case {
  readonly name: string;
  readonly run: (options: CaseOptions) => Promise<Report>;
  /** Holdfast's part alone, for profiling. */
  readonly holdfast?: () => Promise<ProtectedJob>;
}

export function chosen<T extends { readonly name: string }>(all: readonly T[], only: readonly string[]): readonly T[] {
  if (only.length === 0) return all;
  return all.filter(({ name }) => only.some((part) => name.toLowerCase().includes(part.toLowerCase())));
}

export type ReportBody = Omit<Report, 'name' | 'title' | 'what' | 'targets' | 'notes'> & Partial<Pick<Report, 'targets' | 'notes'>>;

export function entrantOf(name: string, { call }: ProtectedJob, rejects: boolean): Entrant {
  return { name, call, rejects };
}
