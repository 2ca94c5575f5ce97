import { Client } from 'pg';

type Row = Readonly<Record<string, unknown>>;

/** One or several statements on a connection of their own. */
export async function sql(url: string, text: string): Promise<readonly Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}
