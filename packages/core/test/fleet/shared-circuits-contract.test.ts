import { test } from 'vitest';
import { memorySharedCircuits } from '../../src/fleet/index.ts';
import { manualSystem, sharedCircuitsContract } from '../../src/testing/index.ts';

const system = manualSystem();
const contract = sharedCircuitsContract({
  open: (settings) => keeper ?? (keeper = memorySharedCircuits({ ...settings, epochMs: system.epochMs })),
  wait: (milliseconds) => system.advance(milliseconds),
});
let keeper: ReturnType<typeof memorySharedCircuits> | undefined;

for (const { name, run } of contract) test(name, run);
