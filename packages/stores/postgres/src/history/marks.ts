/** Owns how far each level is rolled up. */
import type { Session } from '../database/session.ts';

/** By level: everything before it is in the level. 0 for an empty level and for the finest. */
export type Marks = readonly number[];

const nameOf = (level: number): string => `rolled_${String(level)}`;

export async function readMarks(session: Session, schema: string, levels: number): Promise<Marks> {
  const { rows } = await session.query(`SELECT name, value FROM ${schema}.history_marks`);
  const values = new Map(rows.map((row) => [row['name'], Number(row['value'])]));
  return Array.from({ length: levels }, (_, level) => values.get(nameOf(level)) ?? 0);
}

export async function setMark(session: Session, schema: string, level: number, value: number): Promise<void> {
  await session.query(
    `INSERT INTO ${schema}.history_marks (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    [nameOf(level), value],
  );
}
