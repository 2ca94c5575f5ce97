/** What a transaction pooler, which gives a connection to another client after each transaction, and a role that only reads, can rely on. */
import { Client } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { postgresHistory } from '../src/history/index.ts';
import { postgresSharedCircuits } from '../src/index.ts';
import { cellsAt, start } from './history/batch-data.ts';
import { learned } from './support/learned.ts';
import { freshSchema, useServer } from './support/server.ts';
import { sql } from './support/sql.ts';
import { turnEvents } from './support/turns.ts';
import { until } from './support/until.ts';

const { server, openStore } = useServer();

/** Its events are then in a table that was created after all grants. */
function moveToAnotherDay(schema: string): string {
  const day = Math.floor(Date.now() / 86_400_000) - 1;
  const [from, to] = [day, day + 1].map((one) => String(one * 1e11));
  return `CREATE TABLE ${schema}.events_other PARTITION OF ${schema}.events FOR VALUES FROM (${from!}) TO (${to!});
    UPDATE ${schema}.events SET run = run - ${String(1e11)}; UPDATE ${schema}.turns SET run = run - ${String(1e11)}`;
}

/** Uses a store, shared circuits and a history with a lease, from the creation of their tables on. */
async function useEverything(schema: string): Promise<void> {
  const { url } = server();
  const store = openStore({ schema });
  store.append(turnEvents('one', Date.now()));
  store.addMemory([learned(1)]);
  await store.flush();
  for await (const events of store.readEvents()) expect(events).not.toEqual([]);
  expect((await store.readAppended(undefined)).cursor).toBeDefined();
  expect([await store.listTurns(), await store.loadMemory()].map(({ length }) => length)).toEqual([1, 1]);
  await store.deleteTurn('one');
  await store.sweep();
  const circuits = postgresSharedCircuits({ url, schema });
  await circuits.report([
    { toolName: 'a', worker: 'w', sequence: 1, generation: 0, successes: 0, failures: 5, state: 'open', openForMs: 1 },
  ]);
  await circuits.close?.();
  const history = postgresHistory({ url, schema });
  const lease = history.lease('alerts', {});
  history.write(cellsAt('work', start, 1));
  await history.flush();
  await until(() => lease.isHeld());
  await lease.release();
  await history.close();
}

test('every operation is one transaction, and leaves no settings, locks or prepared statements on its connection', async () => {
  const query = vi.spyOn(Client.prototype, 'query');
  const end = vi.spyOn(Client.prototype, 'end');
  onTestFinished(() => void vi.restoreAllMocks());
  await useEverything(freshSchema());
  const { calls, contexts } = query.mock;
  const closed = new Set<unknown>(end.mock.contexts);
  const byConnection = new Map(contexts.map((client) => [client, calls.flatMap(([text], at) => (contexts[at] === client ? [text] : []))]));
  expect(calls.length).toBeGreaterThan(50);
  for (const [client, texts] of byConnection) {
    // A prepared statement would be an object with a name.
    expect(texts.every((text: unknown) => typeof text === 'string')).toBe(true);
    let isOpen = false;
    for (const text of texts.map(String)) {
      expect(text.startsWith('BEGIN'), text).toBe(!isOpen);
      isOpen = text !== 'COMMIT';
      expect(text).not.toMatch(/\bSET (?!LOCAL )\w+ (?:=|TO) \d|\bLISTEN\b|\bPREPARE\b|\badvisory_(?:un)?lock/);
      expect(text.replaceAll('advisory_xact_lock', '')).not.toContain('advisory');
    }
    // A connection whose transaction failed is closed at once.
    expect(isOpen && !closed.has(client)).toBe(false);
  }
});

test('a role with USAGE on the schema and SELECT on its tables can read everything, also the tables of later days', async () => {
  const schema = freshSchema();
  const store = openStore({ schema });
  store.append(turnEvents('one', Date.now()));
  store.addMemory([learned(1)]);
  await store.flush();
  await sql(
    server().url,
    `CREATE ROLE reader LOGIN PASSWORD 'reader'; GRANT USAGE ON SCHEMA ${schema} TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO reader`,
  );
  store.append(turnEvents('two', Date.now()));
  await store.flush();
  await sql(server().url, moveToAnotherDay(schema));
  const reader = openStore({ schema, readOnly: true, url: `postgres://reader:reader@127.0.0.1:${String(server().port)}/postgres` });
  expect(await reader.ready()).toEqual({ ok: true, dropped: 0 });
  expect((await reader.listTurns()).map(({ turnId }) => turnId).toSorted()).toEqual(['one', 'two']);
  expect([await reader.readTurn('two').then((events) => events?.length), (await reader.loadMemory()).length]).toEqual([5, 1]);
  expect((await reader.readAppended(undefined)).cursor).toBeDefined();
  expect(await reader.findCall('two-call')).toMatchObject({ turnId: 'two' });
  const shown: string[] = [];
  for await (const events of reader.readEvents()) shown.push(...events.map(({ turn_id }) => turn_id));
  expect(new Set(shown)).toEqual(new Set(['one', 'two']));
  expect(await reader.stats()).toMatchObject({ turns: 2 });
  expect(reader.status()).toEqual({ ok: true, dropped: 0 });
});
