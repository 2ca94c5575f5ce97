/** The transcripts of `test/transcripts/cases.json`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface TranscriptCase {
  readonly id: string;
  readonly format: string;
  readonly profile?: string;
  readonly title: string;
  readonly expect: 'repair' | 'repair-or-report' | 'untouched' | 'other';
  readonly error?: string;
  readonly request?: unknown;
  readonly body?: Readonly<Record<string, unknown>>;
}

const file = join(import.meta.dirname, '../transcripts/cases.json');

export const cases: readonly TranscriptCase[] = JSON.parse(readFileSync(file, 'utf8')) as readonly TranscriptCase[];

export function caseOf(id: string): TranscriptCase {
  const found = cases.find((one) => one.id === id);
  if (!found) throw new Error(`There is no case ${id}`);
  return found;
}
