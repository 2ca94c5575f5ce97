/** Owns the leases of this process and a connection for them alone, so that a slow read never costs a lease. */
import type { HistoryLease, LeaseListener } from '@holdfast/core/history';
import type { Database } from '../database/database.ts';
import { PostgresLease } from './lease.ts';

export interface LeasesOptions {
  readonly open: () => Database;
  readonly holder: string;
  readonly ttlMs: number;
  readonly onError: (error: unknown) => void;
}

export class Leases {
  readonly #options: LeasesOptions;
  #database: Database | undefined;
  readonly #leases: PostgresLease[] = [];

  constructor(options: LeasesOptions) {
    this.#options = options;
  }

  take(name: string, listener: LeaseListener): HistoryLease {
    const { open, holder, ttlMs, onError } = this.#options;
    this.#database ??= open();
    const lease = new PostgresLease({ database: this.#database, name, holder, listener, ttlMs, onError });
    this.#leases.push(lease);
    return lease;
  }

  async close(): Promise<void> {
    await Promise.all(this.#leases.map((lease) => lease.release()));
    await this.#database?.close();
  }
}
