/**
 * Owns what is wrong with the store at the moment, and who is notified of it.
 *
 * 1. `onFault` is called once when a fault begins, once when its kind changes, once when it is over.
 * 2. Nothing here throws.
 */
import type { StoreFaultKind, SqliteFault } from './settings.ts';

export interface Faults {
  dropped: number;
  readonly kind: StoreFaultKind | undefined;
  raise(kind: StoreFaultKind, problem: string): void;
  /** Ends the fault; with `kinds`, only when it is one of these. */
  clear(...kinds: readonly StoreFaultKind[]): void;
  status(): SqliteFault;
}

export function createFaults(onFault: ((fault: SqliteFault) => void) | undefined): Faults {
  let current: { readonly kind: StoreFaultKind; readonly problem: string } | undefined;

  const report = (): void => {
    try {
      onFault?.(faults.status());
    } catch {
      // A listener that fails costs nothing but itself.
    }
  };

  const faults: Faults = {
    dropped: 0,
    get kind() {
      return current?.kind;
    },
    raise(kind, problem) {
      if (current?.kind === 'closed') return;
      const changed = current?.kind !== kind;
      current = { kind, problem };
      if (changed && kind !== 'closed') report();
    },
    clear(...kinds) {
      if (current === undefined || current.kind === 'closed') return;
      if (kinds.length > 0 && !kinds.includes(current.kind)) return;
      current = undefined;
      report();
    },
    status() {
      const { dropped } = faults;
      return current === undefined ? { ok: true, dropped } : { ok: false, dropped, ...current };
    },
  };
  return faults;
}

/** SQLite's primary result code, or `undefined` when the error is not SQLite's. */
export function resultCode(error: unknown): number | undefined {
  const code = typeof error === 'object' && error !== null && 'errcode' in error ? error.errcode : undefined;
  return typeof code === 'number' ? code & 0xff : undefined;
}

const kinds: Readonly<Record<number, StoreFaultKind>> = {
  5: 'locked',
  6: 'locked',
  8: 'read_only',
  11: 'corrupt',
  13: 'full',
  26: 'corrupt',
};

export function faultKind(error: unknown): StoreFaultKind {
  if (typeof error === 'object' && error !== null && 'code' in error && error.code === 'HOLDFAST_STORE_NEWER_SCHEMA') return 'newer_schema';
  return kinds[resultCode(error) ?? -1] ?? 'unavailable';
}

const sentences: Readonly<Record<StoreFaultKind, string>> = {
  locked: 'another process holds the database locked',
  full: 'the disk or the database is full',
  read_only: 'the database cannot be written',
  corrupt: 'the database is damaged',
  unavailable: 'the database is not available',
  newer_schema: 'the database was made by a newer version',
  overflow: 'the buffer is full',
  unreadable: 'the database cannot be read',
  closed: 'the store is closed',
};

export function problemOf(kind: StoreFaultKind, path: string, error: unknown): string {
  const detail = error instanceof Error ? error.message : String(error);
  return `Trace store ${path}: ${sentences[kind]} (${detail}).`;
}
