/**
 * Owns a lease: a row that its holder renews, and that another process takes over when it has expired.
 *
 * Invariants
 * 1. The server's clock alone decides when it expires. The holder gives it up a little earlier than the server does.
 * 2. A holder that loses it, even for a moment, gets a new term: what it handed over under the old one is ignored.
 */
import type { HistoryLease, LeaseListener } from '@holdfast/core/history';
import type { Database } from '../database/database.ts';
import type { Session } from '../database/session.ts';

export interface LeaseOptions {
  readonly database: Database;
  readonly name: string;
  readonly holder: string;
  readonly listener: LeaseListener;
  /** How long it lasts without a renewal. */
  readonly ttlMs: number;
  /** Called with the error of the database. */
  readonly onError: (error: unknown) => void;
}

const beatsOfTtl = 4;

export class PostgresLease implements HistoryLease {
  readonly #options: LeaseOptions;
  term = 0;
  #holds = false;
  #presumed = false;
  /** Both clocks: one stops while the machine sleeps, the other may be set. */
  #until = { steady: 0, wall: 0 };
  #asking: Promise<void> = Promise.resolve();
  #next: NodeJS.Timeout | undefined;
  #expiry: NodeJS.Timeout | undefined;
  #isReleased = false;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#renew();
  }

  get name(): string {
    return this.#options.name;
  }

  isHeld(): boolean {
    return this.#holds && performance.now() < this.#until.steady && Date.now() < this.#until.wall;
  }

  isPresumed(): boolean {
    return this.#presumed;
  }

  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    clearTimeout(this.#next);
    clearTimeout(this.#expiry);
    this.#holds = this.#presumed = false;
    await this.#asking;
    const { database, name, holder, onError } = this.#options;
    const text = `UPDATE ${database.schema}.history_leases SET expires_at = clock_timestamp() WHERE name = $1 AND holder = $2`;
    await database.write((session) => session.query(text, [name, holder])).catch(onError);
  }

  #renew(): void {
    this.#asking = this.#ask().then(() => {
      if (this.#isReleased) return;
      this.#next = setTimeout(() => this.#renew(), this.#options.ttlMs / beatsOfTtl);
      this.#next.unref();
    });
  }

  async #ask(): Promise<void> {
    const { database, ttlMs, onError } = this.#options;
    this.#checkExpiry();
    const until = { steady: performance.now() + ttlMs, wall: Date.now() + ttlMs };
    try {
      const term = await database.write((session) => this.#take(session, database.schema));
      if (this.#isReleased) return;
      if (term === undefined) this.#setLost(false);
      else this.#setHeld(term, until);
    } catch (error) {
      onError(error);
      this.#checkExpiry();
    }
  }

  async #take(session: Session, schema: string): Promise<number | undefined> {
    const { name, holder, ttlMs } = this.#options;
    const { rows } = await session.query(
      `INSERT INTO ${schema}.history_leases AS l (name, holder, term, expires_at)
       VALUES ($1, $2, 1, clock_timestamp() + $3 * interval '1 millisecond')
       ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = clock_timestamp() + $3 * interval '1 millisecond',
         term = l.term + CASE WHEN l.holder = excluded.holder AND l.term = $4::bigint THEN 0 ELSE 1 END
         WHERE l.holder = excluded.holder OR l.expires_at <= clock_timestamp()
       RETURNING term`,
      [name, holder, ttlMs, this.#holds ? this.term : null],
    );
    return rows[0] && Number(rows[0]['term']);
  }

  #setHeld(term: number, until: { readonly steady: number; readonly wall: number }): void {
    // It was lost during the request.
    const isAgain = this.#holds && term === this.term;
    this.#until = until;
    this.term = term;
    clearTimeout(this.#expiry);
    this.#expiry = setTimeout(() => this.#checkExpiry(), until.steady - performance.now() + 1);
    this.#expiry.unref();
    if (isAgain) return this.#checkExpiry();
    this.#setLost(true);
    this.#holds = true;
    if (!this.isHeld()) {
      this.#holds = false;
      return;
    }
    this.#presumed = true;
    this.#notify(this.#options.listener.onGained);
  }

  #checkExpiry(): void {
    if (!this.isHeld()) this.#setLost(true);
  }

  #setLost(isPresumed: boolean): void {
    this.#presumed &&= isPresumed;
    if (!this.#holds) return;
    this.#holds = false;
    this.#notify(this.#options.listener.onLost);
  }

  #notify(listen: (() => void) | undefined): void {
    try {
      listen?.();
    } catch (error) {
      this.#options.onError(error);
    }
  }
}
