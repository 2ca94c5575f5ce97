/** The transcripts of `test/transcripts`: whole histories in `cases.json`, one request for each rule in `provider-rules.json`. */
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

/** A request that breaks one rule, and the same request as the provider accepts it. */
export interface RuleCase {
  readonly id: string;
  readonly format: string;
  readonly profile: string;
  readonly title: string;
  readonly expect: 'repair' | 'report';
  readonly evidence: string;
  readonly source: readonly string[];
  readonly rule: string;
  readonly error: string;
  readonly request: unknown;
  readonly valid: unknown;
}

const read = (name: string): unknown => JSON.parse(readFileSync(join(import.meta.dirname, '../transcripts', name), 'utf8'));

export const cases = read('cases.json') as readonly TranscriptCase[];

export const ruleCases = read('provider-rules.json') as readonly RuleCase[];

export function caseOf(id: string): TranscriptCase {
  const found = cases.find((one) => one.id === id);
  if (!found) throw new Error(`There is no case ${id}`);
  return found;
}
