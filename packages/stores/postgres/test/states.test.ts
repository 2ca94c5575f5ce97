import { describe, expect, test } from 'vitest';
import { learned } from './support/learned.ts';
import { freshSchema, useServer } from './support/server.ts';
import { sql } from './support/sql.ts';
import { turnEvents } from './support/turns.ts';

const { server, openStore } = useServer();
const dayMs = 86_400_000;

/** A schema with one turn, as the version before memory left it. */
async function oldSchema(): Promise<string> {
  const schema = freshSchema();
  const store = openStore({ schema });
  store.append(turnEvents('one', Date.now()));
  await store.flush();
  await store.close();
  await sql(
    server().url,
    `DROP TABLE ${schema}.memory; UPDATE ${schema}.schema_versions SET version = 1, compatible_from = 1 WHERE component = 'trace'`,
  );
  return schema;
}

describe('tables of the version before memory', () => {
  test('are migrated: their turns are read, memory is kept, and processes of that version may continue', async () => {
    const schema = await oldSchema();
    const store = openStore({ schema });
    expect(await store.loadMemory()).toEqual([]);
    expect(await store.readTurn('one')).toHaveLength(5);
    const entry = learned(3);
    store.addMemory([entry]);
    await store.flush();
    expect(store.status()).toEqual({ ok: true, dropped: 0 });
    expect(await openStore({ schema }).loadMemory()).toEqual([entry]);
    expect(await sql(server().url, `SELECT version, compatible_from FROM ${schema}.schema_versions WHERE component = 'trace'`)).toEqual([
      { version: 2, compatible_from: 1 },
    ]);
  });

  test('that are only read have learned nothing, and are not changed', async () => {
    const schema = await oldSchema();
    const reader = openStore({ schema, readOnly: true });
    expect(await reader.ready()).toEqual({ ok: true, dropped: 0 });
    expect([await reader.readTurn('one').then((events) => events?.length), await reader.loadMemory()]).toEqual([5, []]);
    expect(reader.status()).toEqual({ ok: true, dropped: 0 });
    expect(await sql(server().url, `SELECT to_regclass('${schema}.memory') AS memory`)).toEqual([{ memory: null }]);
  });
});

test('many processes that add to the same entries at once lose nothing, and cause no deadlock', async () => {
  const schema = freshSchema();
  const stores = Array.from({ length: 5 }, () => openStore({ schema }));
  const tools = ['a', 'b', 'c', 'd'];
  for (let round = 0; round < 6; round += 1) {
    for (const [n, store] of stores.entries()) {
      store.append(turnEvents(`turn-${String(n)}-${String(round)}`, Date.now()));
      store.addMemory((n % 2 === 0 ? tools : tools.toReversed()).map((toolName) => learned(2, { toolName })));
    }
    await Promise.all(stores.map((store) => store.flush()));
  }
  const loaded = await stores[0]!.loadMemory();
  expect(new Map(loaded.map(({ toolName, outcomes }) => [toolName, outcomes[0]?.tried]))).toEqual(new Map(tools.map((tool) => [tool, 60])));
  expect(stores.map((store) => store.status().ok)).toEqual(stores.map(() => true));
});

test('an entry that was damaged is returned as it is, and replaced by what is learned next', async () => {
  const schema = freshSchema();
  const store = openStore({ schema });
  store.addMemory([learned(2)]);
  await store.flush();
  await sql(server().url, `UPDATE ${schema}.memory SET entry = '{"version":'`);
  expect(await store.loadMemory()).toEqual(['{"version":']);
  store.addMemory([learned(7)]);
  await store.flush();
  expect((await store.loadMemory()).map(({ outcomes }) => outcomes[0]?.tried)).toEqual([7]);
  expect(store.status()).toEqual({ ok: true, dropped: 0 });
});

test('refused memory does not block events', async () => {
  const store = openStore();
  store.addMemory([learned(2, { savedAtEpochMs: Number.NaN })]);
  store.append(turnEvents('one', Date.now()));
  await store.flush();
  expect(await store.readTurn('one')).toHaveLength(5);
  expect([store.status(), await store.loadMemory()]).toEqual([{ ok: true, dropped: 0 }, []]);
});

test('retention deletes what was learned only before the limit', async () => {
  const store = openStore({ retentionDays: 14 });
  const at = (days: number): number => Date.now() - days * dayMs;
  store.addMemory([learned(2, { savedAtEpochMs: at(15) }), learned(2, { toolName: 'hotel_search', savedAtEpochMs: at(13) })]);
  await store.flush();
  while (await store.sweep());
  expect((await store.loadMemory()).map(({ toolName }) => toolName)).toEqual(['hotel_search']);
});
