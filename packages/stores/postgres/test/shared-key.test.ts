/** A key that all processes on one database share. */
import { postgresSharedKey } from '@holdfast/store-postgres';
import { expect, test } from 'vitest';
import { freshSchema, useServer } from './support/server.ts';

const { server } = useServer();

test('processes that start at the same time get the same key, another name or schema another one', async () => {
  const [schema, other] = [freshSchema(), freshSchema()];
  const keys = await Promise.all(Array.from({ length: 8 }, () => postgresSharedKey({ url: server().url, schema, name: 'sessions' })));
  expect(new Set(keys).size).toBe(1);
  expect(keys[0]).toMatch(/^[\w-]{43}$/);
  expect(await postgresSharedKey({ url: server().url, schema, name: 'sessions' })).toBe(keys[0]);
  expect(await postgresSharedKey({ url: server().url, schema, name: 'other' })).not.toBe(keys[0]);
  expect(await postgresSharedKey({ url: server().url, schema: other, name: 'sessions' })).not.toBe(keys[0]);
});

test('a database that does not answer is an error', async () => {
  await expect(postgresSharedKey({ url: 'postgres://nobody@127.0.0.1:1/none', name: 'sessions' })).rejects.toThrow(
    /ECONNREFUSED|does not answer|connect/u,
  );
});
