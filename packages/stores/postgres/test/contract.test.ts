import { describe, expect, test } from 'vitest';
import { storeContract } from '@holdfast/core/testing';
import { postgresStore } from '../src/index.ts';
import { freshSchema, useServer } from './support/server.ts';
import { sql } from './support/sql.ts';
import { turnEvents } from './support/turns.ts';

const { server, openStore } = useServer();

describe('the store contract', () => {
  const schemas = new WeakMap<object, string>();
  const open = (schema: string): ReturnType<typeof postgresStore> => {
    const store = postgresStore({ url: server().url, schema });
    schemas.set(store, schema);
    return store;
  };
  const contract = storeContract({
    open: () => open(freshSchema()),
    reopen: (store) => open(schemas.get(store) ?? ''),
    startedAtMs: Date.now(),
  });
  for (const { name, run } of contract) test(name, run);
});

test('an id that PostgreSQL cannot store is stored as a control character, followed by JSON', async () => {
  const schema = freshSchema();
  const store = openStore({ schema });
  for (const id of ['plain', 'nul \0', 'half \ud800']) store.append(turnEvents(id, Date.now()));
  await store.flush();
  const rows = await sql(server().url, `SELECT turn_id FROM ${schema}.turns ORDER BY run`);
  expect(rows.map(({ turn_id: id }) => id)).toEqual(['plain', '\u0001"nul \\u0000"', '\u0001"half \\ud800"']);
  expect(await store.readTurn('nul \0')).toHaveLength(5);
});
