/**
 * Owns the options of the store, their defaults and checks.
 */
import { checkOptions, count, delay, refuse, withoutUndefined, type Fields } from '@holdfast/core/internal/plain';
import type { StoreStatus } from '@holdfast/core/store';

/** Why the store does not work: a fault of the file, more events than the buffer holds, a read that failed, or the store is closed. */
export type SqliteFaultKind =
  | 'locked'
  | 'full'
  | 'read_only'
  | 'corrupt'
  | 'unavailable'
  | 'newer_schema'
  | 'overflow'
  | 'unreadable'
  | 'closed';

/** What `onFault` receives: the status, and the kind of the fault. `kind` is absent when the store works again. */
export interface SqliteFault extends StoreStatus {
  /** Kind of the fault. Absent while the store works. */
  readonly kind?: SqliteFaultKind;
}

/** Which file stores the traces, for how long, and how much may wait in memory. */
export interface SqliteStoreOptions {
  /** The database file. Missing folders are created. */
  readonly path: string;
  /**
   * `normal`: survives the death of the process; a power loss may lose the last moments. `fsync`: survives a power loss too, but each flush
   * waits for the disk. Neither leaves a damaged file.
   * @default 'normal'
   */
  readonly durability?: 'normal' | 'fsync';
  /** Turns that ended longer ago are deleted. `Infinity` keeps all. @default 14 */
  readonly retentionDays?: number;
  /** Above this size of the file, the turns that ended are deleted, the oldest first. `Infinity`: whatever its size. @default 1073741824 */
  readonly maxBytes?: number;
  /** Events kept in memory while the file cannot be written; further ones are dropped and counted. @default 50000 */
  readonly maxBufferedEvents?: number;
  /** @default 10 */
  readonly flushIntervalMs?: number;
  /** Most events in one transaction. This many queued events are written without waiting for the interval. @default 200 */
  readonly batchSize?: number;
  /** Only reads: the file must exist, nothing is written, cleaned or repaired. @default false */
  readonly readOnly?: boolean;
  /** Called when a fault begins, when its kind changes, and when it ends; never from within `append`. What it throws is ignored. */
  readonly onFault?: (fault: SqliteFault) => void;
}

export interface Settings extends Required<Omit<SqliteStoreOptions, 'onFault'>>, Pick<SqliteStoreOptions, 'onFault'> {
  /** After this many events a separate thread writes; 0 waits for the thread before anything is written. */
  readonly threadAfterEvents: number;
}

/** A short program ends before a thread has started, which takes tens of milliseconds. */
const threadAfterEvents = 1_000;

const storeFields: Fields = {
  path: (value, field) => {
    if (typeof value !== 'string' || value.trim() === '') refuse(field, value, 'the name of a file', '');
    if (value === ':memory:') refuse(field, value, 'a file; in memory: memoryStore() from @holdfast/core');
  },
  durability: ['normal', 'fsync'],
  retentionDays: ['a number of days, 0 or more', 0, Infinity],
  maxBytes: ['a number of bytes, 1 or more', 1, Infinity],
  maxBufferedEvents: count,
  flushIntervalMs: delay,
  batchSize: count,
  readOnly: 'boolean',
  onFault: 'function',
};

export function settingsOf(options: SqliteStoreOptions): Settings {
  checkOptions(storeFields, options, 'sqliteStore', ['path']);
  return {
    durability: 'normal',
    retentionDays: 14,
    maxBytes: 1_073_741_824,
    maxBufferedEvents: 50_000,
    flushIntervalMs: 10,
    batchSize: 200,
    readOnly: false,
    threadAfterEvents,
    ...(withoutUndefined(options) as SqliteStoreOptions),
  };
}
