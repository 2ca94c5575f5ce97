/** Owns the mode of new database files: they contain arguments and outputs, so that only their owner reads them. SQLite gives the same mode to the files beside it. */
import { closeSync, openSync } from 'node:fs';

const ownerOnly = 0o600;

/** Creates the file if there is none. An existing file keeps its mode: its owner may have changed it. */
export function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'ax', ownerOnly));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
