/**
 * Owns the options of the store, their defaults and checks.
 */
import { count, delay, type Fields } from '@holdfast/core/internal/plain';
import type { StoreStatus } from '@holdfast/core/store';
import type { DatabaseFaultKind } from './database/faults.ts';
import { databaseSettings, type DatabaseOptions, type DatabaseSettings } from './database/settings.ts';

/** Why the store does not work: a fault of the database, more events than the buffer holds, a read that failed, or the store is closed. */
export type PostgresFaultKind = DatabaseFaultKind | 'overflow' | 'unreadable' | 'closed';

/** What `onFault` receives: the status, and the kind of the fault. `kind` is absent when the store works again. */
export interface PostgresFault extends StoreStatus {
  /** Kind of the fault. Absent while the store works. */
  readonly kind?: PostgresFaultKind;
}

/** Which database stores the traces, for how long, and how much may wait in memory. */
export interface PostgresStoreOptions extends DatabaseOptions {
  /** Turns without an event for longer are deleted, and the space of a day is freed when all its turns are. `Infinity` keeps all. @default 14 */
  readonly retentionDays?: number;
  /** Events kept in memory while they cannot be written; further ones are dropped and counted. @default 50000 */
  readonly maxBufferedEvents?: number;
  /** The same limit in bytes of their JSON text. @default 67108864 */
  readonly maxBufferedBytes?: number;
  /** @default 20 */
  readonly flushIntervalMs?: number;
  /** Most events in one transaction. This many queued events are written without waiting for the interval. @default 1000 */
  readonly batchSize?: number;
  /** Only reads: nothing is created, written or deleted. @default false */
  readonly readOnly?: boolean;
  /** Called when a fault begins, when its kind changes, and when it ends; never from within `append`. What it throws is ignored. */
  readonly onFault?: (fault: PostgresFault) => void;
}

export interface Settings {
  readonly database: DatabaseSettings;
  readonly retentionDays: number;
  readonly maxBufferedEvents: number;
  readonly maxBufferedBytes: number;
  readonly flushIntervalMs: number;
  readonly batchSize: number;
  readonly readOnly: boolean;
  readonly onFault?: (fault: PostgresFault) => void;
}

const ownFields: Fields = {
  retentionDays: ['a number of days, 0 or more', 0, Infinity],
  maxBufferedEvents: count,
  maxBufferedBytes: count,
  flushIntervalMs: delay,
  batchSize: count,
  readOnly: 'boolean',
  onFault: 'function',
};

export function settingsOf(options: PostgresStoreOptions): Settings {
  const database = databaseSettings(options, 'postgresStore', ownFields);
  const { onFault } = options;
  return {
    database,
    retentionDays: options.retentionDays ?? 14,
    maxBufferedEvents: options.maxBufferedEvents ?? 50_000,
    maxBufferedBytes: options.maxBufferedBytes ?? 64 * 1024 * 1024,
    flushIntervalMs: options.flushIntervalMs ?? 20,
    batchSize: options.batchSize ?? 1_000,
    readOnly: options.readOnly ?? false,
    ...(onFault === undefined ? {} : { onFault }),
  };
}
