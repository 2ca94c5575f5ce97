/**
 * Owns the composition of the store: settings, link, writer, reads, retention, the end of the process.
 */
import type { CircuitSnapshot, MemoryEntry } from '@holdfast/core';
import { createStoreFaults, sharedListener, startSweeping } from '@holdfast/core/internal/store';
import type { AppendedEvents, CallPlace, Store, TurnSummary } from '@holdfast/core/store';
import { checkIntegrity, storeStats, type SqliteStats } from './inspection.ts';
import { createLink, type Link, openFirst } from './link.ts';
import * as queries from './queries.ts';
import { Reader } from './reader.ts';
import { loadCircuits, loadMemory } from './states.ts';
import { settingsOf, type Settings, type SqliteFault, type SqliteFaultKind, type SqliteStoreOptions } from './settings.ts';
import { Writer } from './writer.ts';
import { machineName, type WriterIdentity, writerIdentity } from './writer-identity.ts';

/** A busy gateway writes gigabytes in an hour, so the size is checked more often. */
const sweepTiming = { firstAfterMs: 1_000, pauseMs: 20, everyMs: 600_000 } as const;

/** The `Store` of `@holdfast/core` in a file, with further queries for inspection. */
export interface SqliteStore extends Store {
  /** The database file. */
  readonly path: string;
  /** Returns whether the store works; if not, why, and the kind of the fault. */
  status(): SqliteFault;
  /**
   * Resolves to what other stores appended since `after`, at most `limit` events (1000 by default), and the cursor to continue from.
   * Without `after` it resolves to the current cursor alone.
   */
  readAppended(after: string | undefined, limit?: number): Promise<AppendedEvents>;
  /** Turns whose id begins with `prefix`, newest first; all runs of them. */
  findTurns(prefix: string, limit?: number): Promise<readonly TurnSummary[]>;
  /** Where the latest call of that id is recorded. */
  findCall(callId: string): Promise<CallPlace | undefined>;
  /** Deletes every run of a turn, overwrites its bytes, and resolves to how many runs. Later events of the turn are ignored too. */
  deleteTurn(turnId: string): Promise<number>;
  /** Resolves to the size of the file's content and of what waits here. */
  stats(): Promise<SqliteStats>;
  /** Checks the file and resolves to the problems found; empty if there are none. */
  checkIntegrity(): Promise<readonly string[]>;
}

/** What is queued is written before the process ends, also through `process.exit()`. */
const onExit = sharedListener(process, 'exit');

/**
 * Stores traces, circuits and episodic memory in a SQLite file. Several processes may use one file.
 *
 * Throws a `TypeError` or `RangeError` for a wrong option, and a `StoreConfigurationError` when the path is a folder, a database of another
 * program, one of a newer version, or (with `readOnly`) missing. Later faults are reported by `status()` and `onFault`.
 */
export function sqliteStore(options: SqliteStoreOptions): SqliteStore {
  return createSqliteStore(settingsOf(options));
}

export function createSqliteStore(settings: Settings): SqliteStore {
  const faults = createStoreFaults<SqliteFaultKind>(settings.onFault);
  const link = createLink(settings, faults);
  const identity = writerIdentity();
  const machine = machineName();
  openFirst(link, settings);
  const writer = new Writer(settings, link, faults, identity);
  const reader = new Reader(settings.path, link, faults);
  const stopSweeping = settings.readOnly ? () => undefined : startSweeping(() => writer.sweep(), sweepTiming);

  const end = (): void => {
    if (reader.closed) return;
    writer.finish();
    reader.close();
    removeExitHook();
    stopSweeping();
    if (!settings.readOnly) markClosed(link, identity);
    link.close();
    faults.raise('closed', `Trace store ${settings.path} is closed.`);
  };
  const removeExitHook = onExit(end);

  return {
    path: settings.path,
    append: (events) => writer.append(events),
    flush: () => writer.flush(),
    async close() {
      if (!reader.closed) await writer.flush();
      end();
    },
    status: () => faults.status(),
    readTurn: (turnId, run) => reader.ask(undefined, (connection) => queries.readTurn(connection, turnId, run)),
    listTurns: (query = {}) => reader.ask([], (connection) => queries.listTurns(connection, query, machine, Date.now())),
    readEvents: (query = {}) => reader.events(query),
    readAppended: (after, limit = 1_000) =>
      reader.ask({ events: [], cursor: after ?? '0' }, (connection) => queries.readAppended(connection, identity.instance, after, limit)),
    saveCircuits: (circuits) => writer.saveCircuits(circuits),
    loadCircuits: () => reader.ask<ReadonlyMap<string, CircuitSnapshot>>(new Map(), loadCircuits),
    addMemory: (learned) => writer.addMemory(learned),
    loadMemory: () => reader.ask<readonly MemoryEntry[]>([], loadMemory),
    findTurns: (prefix, limit = 10) => reader.ask([], (connection) => queries.findTurns(connection, prefix, limit, machine, Date.now())),
    findCall: (callId) => reader.ask(undefined, (connection) => queries.findCall(connection, callId)),
    async deleteTurn(turnId) {
      await writer.flush();
      // Events that could not be written, or arrived in the meantime, would otherwise be written after the deletion.
      writer.forget(turnId);
      return reader.ask(0, (connection) => queries.deleteTurn(connection, turnId));
    },
    stats: () =>
      reader.ask(storeStats(undefined, settings.path, writer.stats()), (connection) =>
        storeStats(connection, settings.path, writer.stats()),
      ),
    checkIntegrity: () => reader.ask<readonly string[]>([`${settings.path} cannot be read`], checkIntegrity),
  };
}

function markClosed(link: Link, { instance }: WriterIdentity): void {
  try {
    link.open().statement('UPDATE writers SET closed_at = ? WHERE instance = ?').run(Date.now(), instance);
  } catch {
    // Then the process table shows that this writer has ended.
  }
}
