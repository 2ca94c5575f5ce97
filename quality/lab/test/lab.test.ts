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

/** One run of a package is a matter of luck: a probe that succeeds a moment earlier ends an outage seconds earlier. Their mean is not. */
const seeds = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

const mean = (runs: readonly { readonly success: number; readonly requestsPerCall: number }[]) => ({
  success: runs.reduce((sum, { success }) => sum + success, 0) / runs.length,
  requestsPerCall: runs.reduce((sum, { requestsPerCall }) => sum + requestsPerCall, 0) / runs.length,
});

async function runPackage(name: string, seed: string) {
  const real = realContender(name);
  if (!real) throw new Error('The package is missing.');
  try {
    const simulation = startSimulation(world, real, seed);
    while (simulation.step()) await turnOfTheLoop();
    return simulation.metrics();
  } finally {
    real.restore();
  }
}

describe('models of peers compared with the packages', () => {
  it.each(realPackages.map(({ name, model }) => [name, model]))('%s has the results of its model', async (name, modelName) => {
    const model = peerModels.find((each) => each.name === modelName);
    if (!model) throw new Error('The model is missing.');
    const modelled = mean(seeds.map((seed) => simulate(world, peer(model), seed)));
    const runs = [];
    for (const seed of seeds) runs.push(await runPackage(name, seed));
    const seen = mean(runs);
    expect(seen.success).toBeGreaterThan(0.05);
    expect(Math.abs(seen.success - modelled.success)).toBeLessThan(0.02);
    expect(Math.abs(seen.requestsPerCall - modelled.requestsPerCall)).toBeLessThan(0.05);
  });

  it('a run of a package is the same each time, and leaves the globals as they were', async () => {
    const { setTimeout } = globalThis;
    const { random } = Math;
    const [first, second] = [await runPackage('cockatiel 4', 'a'), await runPackage('cockatiel 4', 'a')];
    expect(second).toEqual(first);
    expect(globalThis.setTimeout).toBe(setTimeout);
    expect(Math.random).toBe(random);
  });
});
