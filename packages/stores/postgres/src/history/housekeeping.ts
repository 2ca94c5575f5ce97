/** Owns rolling up and deleting, a little at a time, by one of the processes that share the history. */
import type { HistoryLevel } from '@holdfast/core/internal';
import type { Database } from '../database/database.ts';
import type { Session } from '../database/session.ts';
import { databaseFaultKind } from '../database/faults.ts';
import type { HistoryLink } from './link.ts';
import { expireRecords } from './records.ts';
import { expireCells, rollUp } from './roll-up.ts';
import { tryHousekeeping } from './session-lock.ts';
import { expireTurns } from './turns.ts';

const dayMs = 86_400_000;
const deletedAtOnce = 5_000;
/** How often rare work is checked. */
const raresEveryMs = 10_000;
/** Time limit of one run; the next one continues. */
const lookMs = 2_000;

export interface HousekeepingOptions {
  readonly database: Database;
  readonly link: HistoryLink;
  readonly levels: readonly HistoryLevel[];
  readonly retentionDays: number;
  /** @default the server's clock */
  readonly now: (() => number) | undefined;
}

export class Housekeeping {
  readonly #options: HousekeepingOptions;
  #working: Promise<void> | undefined;
  #raresAt = -Infinity;
  bytes = 0;

  constructor(options: HousekeepingOptions) {
    this.#options = options;
  }

  /** Never rejects. With `all`, runs until nothing is due. */
  async tidy(all: boolean): Promise<void> {
    if (all) await this.#working;
    this.#working ??= this.#work(all).finally(() => (this.#working = undefined));
    await this.#working;
  }

  async #work(all: boolean): Promise<void> {
    const { link, database } = this.#options;
    if (!link.mayRead()) return;
    const begun = performance.now();
    const withRares = all || begun - this.#raresAt > raresEveryMs;
    if (withRares) this.#raresAt = begun;
    try {
      let hasMore = true;
      while (hasMore && (all || performance.now() - begun < lookMs)) hasMore = await database.write((session) => this.#rollUp(session));
      hasMore = withRares;
      while (hasMore && (all || performance.now() - begun < lookMs)) hasMore = await database.write((session) => this.#expire(session));
      link.recordSuccess('reading');
      if (withRares) this.bytes = await database.read((session) => this.#measure(session));
    } catch (error) {
      // Writers held the locks for too long: the next run tries again.
      if (databaseFaultKind(error) !== 'locked') link.recordFailure(error, 'reading');
    }
  }

  async #rollUp(session: Session): Promise<boolean> {
    const { database, levels } = this.#options;
    if (!(await tryHousekeeping(session, database.schema))) return false;
    return rollUp(session, { schema: database.schema, levels }, await this.#now(session));
  }

  async #expire(session: Session): Promise<boolean> {
    const { database, levels, retentionDays } = this.#options;
    const { schema } = database;
    if (!(await tryHousekeeping(session, schema))) return false;
    const now = await this.#now(session);
    const before = now - retentionDays * dayMs;
    const parts = [
      await expireCells(session, { schema, levels }, now, deletedAtOnce),
      await expireTurns(session, schema, before, deletedAtOnce),
      await expireRecords(session, schema, before, deletedAtOnce),
    ];
    await session.query(`DELETE FROM ${schema}.history_writers WHERE written_at < now() - interval '7 days'`);
    return parts.includes(true);
  }

  async #now(session: Session): Promise<number> {
    const { now } = this.#options;
    if (now) return now();
    const { rows } = await session.query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now');
    return Math.floor(Number(rows[0]?.['now']));
  }

  async #measure(session: Session): Promise<number> {
    const { rows } = await session.query(
      `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) AS bytes FROM pg_class AS c
       WHERE c.relnamespace = to_regnamespace($1) AND c.relkind = 'r' AND c.relname LIKE 'history\\_%'`,
      [this.#options.database.schema],
    );
    return Number(rows[0]?.['bytes'] ?? 0);
  }
}
