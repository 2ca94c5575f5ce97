import { adapterContract } from '@holdfast/adapter-kit/testing';
import { describe, it } from 'vitest';
import { harnesses, sharedAgents } from './support/harness.ts';

describe.each([...harnesses, ...sharedAgents])('$framework', (harness) => {
  for (const { name, run } of adapterContract(harness)) it(name, run);
});
