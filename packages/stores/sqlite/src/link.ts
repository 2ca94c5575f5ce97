/**
 * Owns the connection: opened when it is needed, closed after a failure; a damaged file is moved aside.
 *
 * 1. Only the first opening may throw, and only for a path that cannot be used.
 * 2. Every failure is reported as a fault with its kind. Then the connection is reopened, unless only a lock or space was missing.
 */
import type { Stats } from 'node:fs';
import type { StoreFaults } from '@holdfast/core/internal/store';
import { isConfigurationError } from './configuration-error.ts';
import { openConnection, type Connection } from './connection.ts';
import { moveAside, statOf } from './corrupt-file.ts';
import { faultKind, problemOf } from './faults.ts';
import type { SqliteFaultKind, Settings } from './settings.ts';

export interface Link {
  /** Counts openings: what was learned from an earlier file may be wrong. */
  readonly generation: number;
  /** The open connection. Throws the error that prevents it. */
  open(): Connection;
  /** Handles an error of `open` or of the connection, and returns its kind. A lock alone is no fault. */
  handleError(error: unknown): SqliteFaultKind;
  close(): void;
}

export function createLink(settings: Omit<Settings, 'onFault'>, faults: Pick<StoreFaults<SqliteFaultKind>, 'raise'>): Link {
  const { path } = settings;
  let connection: Connection | undefined;
  let generation = 0;
  let file: Stats | undefined;

  const drop = (): void => {
    try {
      connection?.close();
    } catch {
      // The file is gone or damaged: nothing can be saved through this connection.
    }
    connection = undefined;
  };

  const repair = (problem: string): void => {
    drop();
    try {
      const aside = moveAside(path, file, Date.now());
      const done = aside === undefined ? 'Another process moved it aside.' : `It was moved to ${aside}.`;
      faults.raise('corrupt', `${problem} ${done} A new file is created.`);
    } catch (error) {
      faults.raise('corrupt', `${problem} It could not be moved aside: ${String(error)}`);
    }
  };

  return {
    get generation() {
      return generation;
    },
    open() {
      if (connection?.isCurrent() === false) drop();
      if (connection === undefined) {
        file = statOf(path);
        connection = openConnection(settings);
        file = statOf(path);
        generation += 1;
      }
      return connection;
    },
    handleError(error) {
      const kind = faultKind(error);
      if (kind === 'locked') return kind;
      const problem = problemOf(kind, path, error);
      if (kind === 'corrupt' && !settings.readOnly) {
        repair(problem);
        return kind;
      }
      if (kind !== 'full') drop();
      faults.raise(kind, problem);
      return kind;
    },
    close: drop,
  };
}

/** Opens for the first time. An error that waiting can fix becomes a fault; others are thrown. */
export function openFirst(link: Link, settings: Settings): void {
  for (let round = 0; round < 2; round += 1) {
    try {
      link.open();
      return;
    } catch (error) {
      if (isConfigurationError(error) || settings.readOnly) throw error;
      if (link.handleError(error) !== 'corrupt') return;
    }
  }
}
