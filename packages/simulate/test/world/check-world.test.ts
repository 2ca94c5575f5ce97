import { describe, expect, it } from 'vitest';
import type { World } from '../../src/index.ts';
import { checkWorld, none, scenarios, simulate } from '../../src/index.ts';

const good = scenarios.cascade;
const pathsOf = (changes: object): readonly string[] =>
  checkWorld({ ...structuredClone(good), ...changes } as World).map(({ path }) => path.join('.'));
const service = good.services['maps'];
const group = good.agents[0];
const hit = { service: 'hotels', fromMs: 0, forMs: 1 };
const burst = (ms: number) => ({ every: { kind: 'constant', ms }, lasts: { kind: 'constant', ms: 500 }, ratePerSecond: 3 });

describe('a world', () => {
  it.each(Object.entries(scenarios))('%s is valid, and plain data', (_name, world) => {
    expect(checkWorld(world)).toEqual([]);
    expect(structuredClone(world)).toEqual(world);
  });

  it.each<[string, object]>([
    ['durationMs', { durationMs: 0 }],
    ['processes', { processes: 1.5 }],
    ['processes', { processes: 1e9 }],
    ['agents', { agents: [] }],
    ['services.maps.servers', { services: { ...good.services, maps: { ...service, servers: 1.5 } } }],
    [
      'services.maps.latency.p99Ms',
      { services: { ...good.services, maps: { ...service, latency: { kind: 'lognormal', meanMs: 100, p99Ms: 90 } } } },
    ],
    ['tools.locate.service', { tools: { ...good.tools, locate: { service: 'map' } } }],
    ['tools.locate.alternatives.0', { tools: { ...good.tools, locate: { service: 'maps', alternatives: ['atlas'] } } }],
    ['tools.locate.timeoutMs', { tools: { ...good.tools, locate: { service: 'maps', timeoutMs: 0 } } }],
    [
      'services.maps.rateLimit.retryAfterS',
      { services: { ...good.services, maps: { ...service, rateLimit: { limit: 1, windowMs: 1, retryAfterS: -1 } } } },
    ],
    [
      'services.maps.tokenBucket.burst',
      { services: { ...good.services, maps: { ...service, tokenBucket: { ratePerSecond: 1, burst: 0.5 } } } },
    ],
    ['faults.0.retryAfterS', { faults: [{ ...hit, kind: 'outage', retryAfterS: NaN }] }],
    ['faults.0.answerMs', { faults: [{ ...hit, kind: 'flapping', downMs: [1, 2], upMs: [1, 2], answerMs: -1 }] }],
    ['faults.0.ratePerSecond', { faults: [{ ...hit, kind: 'token_bucket', ratePerSecond: 0, burst: 1 }] }],
    ['faults.0.share', { faults: [{ ...hit, kind: 'slow', factor: 2, share: 2 }] }],
    ['faults.0.periodMs', { faults: [{ ...hit, kind: 'slow', factor: 2, periodMs: 0 }] }],
    ['faults.0.group', { faults: [{ ...hit, kind: 'permanent', share: 1, group: 1 }] }],
    ['faults.0.recoverSteps', { faults: [{ ...hit, kind: 'outage', recoverSteps: 0 }] }],
    ['faults.0.recoverSteps', { faults: [{ ...hit, kind: 'outage', recoverSteps: 1e9 }] }],
    ['faults.0.coldCache.requests', { faults: [{ ...hit, kind: 'outage', coldCache: { factor: 2, requests: 0 } }] }],
    ['agents.0.turn.0.toolName', { agents: [{ ...group, turn: [{ toolName: 'lookup' }] }] }],
    ['agents.0.turn', { agents: [{ ...group, turn: [{ toolName: 'locate', dependsOn: ['hotels'] }] }] }],
    ['agents.0.turn', { agents: [{ ...group, turn: [] }] }],
    ['agents.0.arrivals.ratePerSecond', { agents: [{ ...group, arrivals: { kind: 'open', ratePerSecond: -1 } }] }],
    ['agents.0.arrivals.think.meanMs', { agents: [{ ...group, arrivals: { kind: 'closed', think: { kind: 'exponential', meanMs: 0 } } }] }],
    ['agents.0.arrivals.think', { agents: [{ ...group, arrivals: { kind: 'closed', think: { kind: 'constant', ms: 0 } } }] }],
    ['agents.0.arrivals.burst', { agents: [{ ...group, arrivals: { kind: 'open', ratePerSecond: 1, burst: burst(1_000) } }] }],
    ['agents.0.arrivals.burst.every', { agents: [{ ...group, arrivals: { kind: 'open', ratePerSecond: 1, burst: burst(0) } }] }],
    ['faults.0.replica', { faults: [{ service: 'hotels', fromMs: 0, forMs: 1, kind: 'bad_replica', replica: 1, how: 'slow' }] }],
    ['faults.0.service', { faults: [{ service: 'hotel', fromMs: 0, forMs: 1, kind: 'outage' }] }],
    ['faults.0.host', { faults: [{ host: 'hotel', fromMs: 0, forMs: 1, kind: 'outage' }] }],
    ['faults.0', { faults: [{ fromMs: 0, forMs: 1, kind: 'outage' }] }],
    ['faults.0.forMs', { faults: [{ service: 'hotels', fromMs: 0, forMs: [5, 1], kind: 'outage' }] }],
    ['faults.0.share', { faults: [{ service: 'hotels', fromMs: 0, forMs: 1, kind: 'random_failures', share: 30 }] }],
    ['faults.0.downMs', { faults: [{ service: 'hotels', fromMs: 0, forMs: 1, kind: 'flapping', downMs: [0, 0], upMs: [1, 1] }] }],
  ])('reports where it is wrong: %s', (place, changes) => {
    expect(pathsOf(changes)).toEqual([place]);
  });

  it('is not run when it is invalid', () => {
    expect(() => simulate({ ...good, durationMs: Number.NaN }, none, '1')).toThrow(
      "World 'cascade', durationMs: NaN is not a number above 0.",
    );
  });
});
