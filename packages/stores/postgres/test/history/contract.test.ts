import { describe, test } from 'vitest';
import { historyContract } from '@holdfast/core/testing';
import { postgresHistory } from '../../src/history/index.ts';
import { freshSchema, postgres, usePostgres } from './server.ts';

usePostgres();

describe('the history contract', () => {
  const schemas = new Map<unknown, string>();
  const contract = historyContract({
    open(settings) {
      const schema = freshSchema();
      const history = postgresHistory({ url: postgres().url, schema, ...settings });
      schemas.set(history, schema);
      return history;
    },
    reopen: (history, settings) => postgresHistory({ url: postgres().url, schema: schemas.get(history) ?? '', ...settings }),
  });
  for (const { name, run } of contract) test(name, run);
});
