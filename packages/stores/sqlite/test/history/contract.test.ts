import { describe, test } from 'vitest';
import { historyContract } from '@holdfast/core/testing';
import { sqliteHistory } from '../../src/history/index.ts';
import { freshPath } from '../support/paths.ts';

describe('the history contract', () => {
  const contract = historyContract({
    open: (settings) => sqliteHistory({ path: freshPath(), ...settings }),
    reopen: ({ path }, settings) => sqliteHistory({ path, ...settings }),
  });
  for (const { name, run } of contract) test(name, run);
});
