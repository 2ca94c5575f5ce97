import { adapterContract } from '@holdfast/adapter-kit/testing';
import { describe, it } from 'vitest';
import { harnesses } from './support/harness.ts';

describe.each(harnesses)('$framework', (harness) => {
  for (const { name, run } of adapterContract(harness)) it(name, run);
});
