/** Owns the queries of one transaction. */

export type Row = Readonly<Record<string, unknown>>;

/** One transaction, as queries see it. */
export interface Session {
  query(text: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly Row[]; readonly rowCount: number }>;
}
