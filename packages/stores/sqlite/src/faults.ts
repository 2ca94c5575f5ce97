/**
 * Owns which kinds of fault SQLite has, how they are recognised, and the sentence for each.
 */
import type { SqliteFaultKind } from './settings.ts';

/** SQLite's primary result code, or `undefined` when the error is not SQLite's. */
export function resultCode(error: unknown): number | undefined {
  const code = typeof error === 'object' && error !== null && 'errcode' in error ? error.errcode : undefined;
  return typeof code === 'number' ? code & 0xff : undefined;
}

const kinds: Readonly<Record<number, SqliteFaultKind>> = {
  5: 'locked',
  6: 'locked',
  8: 'read_only',
  11: 'corrupt',
  13: 'full',
  26: 'corrupt',
};

export function faultKind(error: unknown): SqliteFaultKind {
  if (typeof error === 'object' && error !== null && 'code' in error && error.code === 'HOLDFAST_STORE_NEWER_SCHEMA') return 'newer_schema';
  return kinds[resultCode(error) ?? -1] ?? 'unavailable';
}

const sentences: Readonly<Record<SqliteFaultKind, string>> = {
  locked: 'another process has locked the database',
  full: 'the disk or the database is full',
  read_only: 'the database cannot be written',
  corrupt: 'the database is damaged',
  unavailable: 'the database is not available',
  newer_schema: 'the database is of a newer version',
  overflow: 'the buffer is full',
  unreadable: 'the database cannot be read',
  closed: 'the store is closed',
};

export function problemOf(kind: SqliteFaultKind, path: string, error: unknown): string {
  const detail = error instanceof Error ? error.message : String(error);
  return `Trace store ${path}: ${sentences[kind]} (${detail}).`;
}
