/**
 * Owns the port of a place for small secrets that several processes share, such as credentials. The rows are sealed before they reach it: it never sees their content.
 *
 * Invariants
 * 1. A row is replaced or deleted only if it still has the expected version; a version is never used twice.
 * 2. Of several processes that acquire the lease of a key, one gets it, until it releases it or its time is over.
 */

/** One row and its version. */
export interface SealedRow {
  /** The sealed content. */
  readonly sealed: string;
  /** Changes with each write. */
  readonly version: string;
}

/** How a row is written. */
export interface SealedWrite {
  /** The version that is replaced; `null`: there must be no row. @default whatever is there */
  readonly expected?: string | null | undefined;
  /** The row ends after this time. @default never */
  readonly expiresInMs?: number | undefined;
}

/** Sealed rows by key. */
export interface SealedRows {
  /** Resolves to the row, or to `undefined` if there is none. */
  read(key: string): Promise<SealedRow | undefined>;
  /** Resolves to the keys with this beginning, in order. */
  keys(prefix: string): Promise<readonly string[]>;
  /** Resolves to the new version; to `undefined` if the row is not the expected one, and then nothing is changed. */
  write(key: string, sealed: string, options?: SealedWrite): Promise<string | undefined>;
  /** Resolves to whether the row was there, with the expected version if one is given. */
  delete(key: string, expected?: string): Promise<boolean>;
  /** Resolves to whether the holder has the lease of the key now. */
  acquire(key: string, holder: string, ttlMs: number): Promise<boolean>;
  /** Gives the lease back if the holder has it. */
  release(key: string, holder: string): Promise<void>;
  /** Closes the file or the connections. */
  close(): Promise<void>;
}
