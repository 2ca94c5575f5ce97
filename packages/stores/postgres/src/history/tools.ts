/** Owns the ids under which tools are stored. They never change, so they are cached here. */
import { toStoredText } from '@holdfast/core/internal/store';
import type { Database } from '../database/database.ts';
import type { Session } from '../database/session.ts';

const maxRemembered = 20_000;
/** Most characters of a name in an index, since a model may invent any name. */
const maxNameLength = 500;

export class ToolNumbers {
  readonly #numbers = new Map<string, number>();

  /** Call it after a failure: the database may be another one, such as an older copy. */
  forget(): void {
    this.#numbers.clear();
  }

  /** `undefined` if nothing was stored for the tool. */
  async find(session: Session, schema: string, name: string): Promise<number | undefined> {
    return this.#numbers.get(name) ?? (await this.#read(session, schema, [name])).get(keyOf(name));
  }

  /** Assigns ids to new tools, in a separate transaction: other processes write to the same tools. */
  async ensure(database: Database, names: ReadonlySet<string>): Promise<(name: string) => number> {
    if (this.#numbers.size > maxRemembered) this.#numbers.clear();
    const missing = [...names].filter((name) => !this.#numbers.has(name));
    if (missing.length > 0) {
      await database.write(async (session) => {
        const keys = [...new Set(missing.map(keyOf))].toSorted();
        await session.query(
          `INSERT INTO ${database.schema}.history_tools (name) SELECT unnest($1::text[]) EXCEPT SELECT name FROM ${database.schema}.history_tools ORDER BY 1 ON CONFLICT DO NOTHING`,
          [keys],
        );
      });
      const found = await database.read((session) => this.#read(session, database.schema, missing));
      for (const name of missing) this.#numbers.set(name, found.get(keyOf(name)) ?? 0);
    }
    return (name) => this.#numbers.get(name) ?? 0;
  }

  async #read(session: Session, schema: string, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const { rows } = await session.query(`SELECT id, name FROM ${schema}.history_tools WHERE name = ANY($1::text[])`, [names.map(keyOf)]);
    return new Map(rows.map((row) => [String(row['name']), Number(row['id'])]));
  }
}

const keyOf = (name: string): string => toStoredText(name.slice(0, maxNameLength));
