import { describe, test } from 'vitest';
import { storeContract } from '@holdfast/core/testing';
import { postgresStore } from '../src/index.ts';
import { freshSchema, useServer } from './support/server.ts';

const { server } = useServer();

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
