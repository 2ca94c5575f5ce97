import { describe, test } from 'vitest';
import { historyContract } from '@holdfast/core/testing';
import { postgresHistory } from '../../src/history/index.ts';
import { emptySchema, postgres, usePostgres } from './server.ts';

usePostgres();

describe('the history contract', () => {
  const schema = 'the contract';
  const contract = historyContract({
    async open(settings) {
      await emptySchema(schema);
      return postgresHistory({ url: postgres().url, schema, ...settings });
    },
    reopen: (_, settings) => postgresHistory({ url: postgres().url, schema, ...settings }),
  });
  for (const { name, run } of contract) test(name, run);
});
