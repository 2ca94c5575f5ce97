/**
 * Owns loading `node:sqlite`. Node 22 prints a warning when it is first loaded; this one warning is suppressed.
 */
import type * as Sqlite from 'node:sqlite';

export function loadSqlite(): typeof Sqlite {
  const before = Object.getOwnPropertyDescriptor(process, 'emitWarning');
  const emitWarning = process.emitWarning.bind(process) as (...parameters: readonly unknown[]) => void;
  process.emitWarning = (...parameters: readonly unknown[]): void => {
    if (!String(parameters[0]).startsWith('SQLite is an experimental feature')) emitWarning(...parameters);
  };
  try {
    // Not an import: imports are hoisted, and the warning would be printed before the filter is set.
    const sqlite = process.getBuiltinModule('node:sqlite');
    if (sqlite !== undefined) return sqlite;
  } finally {
    if (before !== undefined) Object.defineProperty(process, 'emitWarning', before);
  }
  throw new Error(`sqliteStore needs node:sqlite, which this runtime (${process.version}) does not have; use Node 22.18 or newer.`);
}
