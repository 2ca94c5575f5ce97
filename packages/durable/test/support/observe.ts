/** Owns waiting for observable conditions, and reading Restate's journals. */
import { setTimeout as wait } from 'node:timers/promises';

const LIMIT_MS = 20_000;

/** Waits until the condition holds; returns its value. */
export const until = async <Value>(
  look: () => Value | undefined | false | Promise<Value | undefined | false>,
  what: string,
): Promise<Value> => {
  const end = performance.now() + LIMIT_MS;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    if (performance.now() > end) throw new Error(`Not seen within ${LIMIT_MS} ms: ${what}`);
    await wait(10);
  }
};

export type Row = Readonly<Record<string, unknown>>;

export const query = async (adminUrl: string, sql: string): Promise<readonly Row[]> => {
  const answer = await fetch(`${adminUrl}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query: sql }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.status}: ${text}`);
  return (JSON.parse(text) as { readonly rows: readonly Row[] }).rows;
};
