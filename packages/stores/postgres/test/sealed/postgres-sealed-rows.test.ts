import { setTimeout as sleep } from 'node:timers/promises';
import { describe, test } from 'vitest';
import { sealedRowsContract } from '@holdfast/core/testing';
import { postgresSealedRows } from '../../src/index.ts';
import { freshSchema, useServer } from '../support/server.ts';

const { server } = useServer();

describe('the contract of sealed rows', () => {
  const schema = freshSchema();
  const contract = sealedRowsContract({ open: () => postgresSealedRows({ url: server().url, schema }), wait: sleep });
  for (const { name, run } of contract) test(name, run);
});
