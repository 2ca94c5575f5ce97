import { test } from 'vitest';
import { memorySharedCircuits, type SharedCircuits } from '../../../src/distributed/fleet/index.ts';
import { manualSystem } from '../../../src/testing/manual-system.ts';
import { sharedCircuitsContract } from '../../../src/testing/shared-circuits-contract.ts';

const system = manualSystem();
let coordinator: SharedCircuits | undefined;
const contract = sharedCircuitsContract({
  open: (settings) => (coordinator ??= memorySharedCircuits({ ...settings, epochMs: () => system.epochMs() })),
  wait: (milliseconds) => system.advance(milliseconds),
});

for (const { name, run } of contract) test(name, run);
