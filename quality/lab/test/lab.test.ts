import { simulate, startSimulation, type World } from '@holdfast/simulate';
import { peer, peerModels } from '@holdfast/simulate/peers';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { realContender } from '../src/real/contenders.ts';
import { realPackages } from '../src/real/packages.ts';

/** Small, with a fault of each kind that the packages distinguish. */
const world: World = {
  name: 'small',
  durationMs: 60_000,
  agents: [{ count: 20, arrivals: { kind: 'open', ratePerSecond: 20 }, turn: [{ toolName: 'search' }], deadlineMs: 60_000 }],
  services: { search: { servers: 6, queue: 200, latency: { kind: 'lognormal', meanMs: 200, p99Ms: 550 } } },
  tools: { search: { service: 'search', timeoutMs: 2_000 } },
  faults: [
    { service: 'search', fromMs: 5_000, forMs: 6_000, kind: 'outage' },
    { service: 'search', fromMs: 25_000, forMs: 4_000, kind: 'black_hole' },
    { service: 'search', fromMs: 46_000, forMs: 10_000, kind: 'random_failures', share: 0.2 },
    { service: 'search', fromMs: 46_000, forMs: 10_000, kind: 'permanent', share: 0.02 },
  ],
};

describe('models of peers compared with the packages', () => {
  it.each(realPackages.map(({ name, model }) => [name, model]))('%s has the results of its model', async (name, modelName) => {
    const model = peerModels.find((each) => each.name === modelName);
    const real = realContender(name);
    if (!model || !real) throw new Error('The package or its model is missing.');
    const modelled = simulate(world, peer(model), 'a');
    const { setTimeout } = globalThis;
    const simulation = startSimulation(world, real, 'a');
    while (simulation.step()) await turnOfTheLoop();
    const seen = simulation.metrics();
    expect(globalThis.setTimeout).not.toBe(setTimeout);
    real.restore();
    expect(globalThis.setTimeout).toBe(setTimeout);
    expect(seen.success).toBeGreaterThan(0.05);
    expect(Math.abs(seen.success - modelled.success)).toBeLessThan(0.02);
    expect(Math.abs(seen.requestsPerCall - modelled.requestsPerCall)).toBeLessThan(0.05);
  });
});
