/**
 * Owns putting the store together: settings, link, writer, reads, retention, the end of the process.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CircuitSnapshot, TraceEvent } from '@holdfast/core';
import type { AppendedEvents, CallPlace, EventQuery, Store, TurnSummary } from '@holdfast/core/store';
import { createStoreFaults, startSweeping } from '@holdfast/core/internal/store';
import type { Connection } from './connection.ts';
import { faultKind, problemOf } from './faults.ts';
import { onExit } from './exit-hook.ts';
import { checkIntegrity, storeStats, type SqliteStats } from './inspection.ts';
import { createLink, openFirst } from './link.ts';
import * as queries from './queries.ts';
import { settingsOf, type Settings, type SqliteFault, type SqliteFaultKind, type SqliteStoreOptions } from './settings.ts';
import { createWriter } from './writer.ts';
import { machineName, writerIdentity } from './writer-identity.ts';

/** How long a question waits for another process's lock, and between two tries. */
const lockPatienceMs = 2_000;
const lockPauseMs = 20;
const sweepTiming = { firstAfterMs: 1_000, pauseMs: 20 } as const;

/** The `Store` of `@holdfast/core` in a file, and what an inspector asks beyond it. */
export interface SqliteStore extends Store {
  readonly path: string;
  status(): SqliteFault;
  readAppended(after: string | undefined, limit?: number): Promise<AppendedEvents>;
  /** Turns whose id begins with `prefix`, newest first; all runs of them. */
  findTurns(prefix: string, limit?: number): Promise<readonly TurnSummary[]>;
  /** Where the latest call of that id is recorded. */
  findCall(callId: string): Promise<CallPlace | undefined>;
  /** Deletes every run of a turn and overwrites its bytes; answers how many runs. What comes of it later is left out too. */
  deleteTurn(turnId: string): Promise<number>;
  stats(): Promise<SqliteStats>;
  /** Reads the whole file; answers what is wrong with it, nothing when all is well. */
  checkIntegrity(): Promise<readonly string[]>;
}

/**
 * Keeps traces and circuits in a SQLite file, which several processes may use at once.
 *
 * Throws a `TypeError` or `RangeError` for a wrong option, and a `StoreConfigurationError` when the path is a folder, a database of another
 * program, one of a newer version, or (with `readOnly`) nothing. Everything that goes wrong later is told by `status()` and `onFault`.
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
  const writer = createWriter(settings, link, faults, identity);
  const stopSweeping = settings.readOnly ? () => undefined : startSweeping(() => writer.sweep(), sweepTiming);
  let closed = false;

  const end = (): void => {
    if (closed) return;
    writer.finish();
    closed = true;
    takeBack();
    stopSweeping();
    markClosed();
    link.close();
    faults.raise('closed', `Trace store ${settings.path} is closed.`);
  };

  const markClosed = (): void => {
    if (settings.readOnly) return;
    try {
      link.open().statement('UPDATE writers SET closed_at = ? WHERE instance = ?').run(Date.now(), identity.instance);
    } catch {
      // Then the process table tells that this writer is gone.
    }
  };

  const takeBack = onExit(end);

  const failedRead = (error: unknown): void => {
    const kind = faultKind(error);
    if (faults.kind === undefined)
      faults.raise('unreadable', problemOf(kind === 'unavailable' ? 'unreadable' : kind, settings.path, error));
  };

  const ask = async <Answer>(otherwise: Answer, question: (connection: Connection) => Answer): Promise<Answer> => {
    const began = performance.now();
    while (!closed) {
      try {
        const answer = question(link.open());
        faults.clear('unreadable');
        return answer;
      } catch (error) {
        if (faultKind(error) === 'locked' && performance.now() - began < lockPatienceMs) await sleep(lockPauseMs);
        else {
          failedRead(error);
          break;
        }
      }
    }
    return otherwise;
  };

  async function* readEvents(query: EventQuery = {}): AsyncGenerator<readonly TraceEvent[], void> {
    const { from, to } = await ask({ from: 1, to: 0 }, (connection) => queries.eventRange(connection, query));
    for (let at = from; at <= to; at = queries.nextStep(at)) {
      const events = await ask(undefined, (connection) => queries.readStep(connection, query, at, to));
      if (events === undefined) return;
      if (events.length > 0) yield events;
      else await new Promise((resolve) => setImmediate(resolve));
    }
  }

  return {
    path: settings.path,
    append: (events) => writer.append(events),
    flush: () => writer.flush(),
    async close() {
      if (!closed) await writer.flush();
      end();
    },
    status: () => faults.status(),
    readTurn: (turnId, run) => ask(undefined, (connection) => queries.readTurn(connection, turnId, run)),
    listTurns: (query = {}) => ask([], (connection) => queries.listTurns(connection, query, machine, Date.now())),
    readEvents,
    readAppended: (after, limit = 1_000) =>
      ask({ events: [], cursor: after ?? '0' }, (connection) => queries.readAppended(connection, identity.instance, after, limit)),
    saveCircuits: (circuits) => writer.saveCircuits(circuits),
    loadCircuits: () => ask<ReadonlyMap<string, CircuitSnapshot>>(new Map(), queries.loadCircuits),
    findTurns: (prefix, limit = 10) => ask([], (connection) => queries.findTurns(connection, prefix, limit, machine, Date.now())),
    findCall: (callId) => ask(undefined, (connection) => queries.findCall(connection, callId)),
    async deleteTurn(turnId) {
      await writer.flush();
      // What could not be written, or came meanwhile, would otherwise come after the deletion.
      writer.forget(turnId);
      return ask(0, (connection) => queries.deleteTurn(connection, turnId));
    },
    stats: () =>
      ask(storeStats(undefined, settings.path, writer.stats()), (connection) => storeStats(connection, settings.path, writer.stats())),
    checkIntegrity: () => ask<readonly string[]>([`${settings.path} cannot be read`], checkIntegrity),
  };
}
