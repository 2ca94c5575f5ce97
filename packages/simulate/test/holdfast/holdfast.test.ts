import type { TraceEvent } from '@holdfast/core';
import { describe, expect, it } from 'vitest';
import type { WorldFault, World } from '../../src/index.ts';
import { holdfast, none, scenarios, simulate } from '../../src/index.ts';

const worldWith = (...faults: readonly object[]): World => ({
  ...scenarios.nominal,
  durationMs: 30_000,
  agents: [{ count: 20, arrivals: { kind: 'open', ratePerSecond: 20 }, turn: [{ toolName: 'search' }], deadlineMs: 20_000 }],
  faults: faults.map((fault) => ({ service: 'search', fromMs: 5_000, forMs: 10_000, ...fault }) as WorldFault),
});

const eventsOf = (world: World, options: Parameters<typeof holdfast>[0] & object): readonly TraceEvent[] => {
  const events: TraceEvent[] = [];
  simulate(world, holdfast({ ...(options as object), onEvent: (event) => events.push(event) }), '1');
  return events;
};

describe('Holdfast in a world', () => {
  it('has no visible effect without faults', () => {
    const { series: _, contender: __, ...plain } = simulate(worldWith(), none, '1');
    const { series: ___, contender: ____, ...engine } = simulate(worldWith(), holdfast('spec'), '1');
    expect(engine).toEqual(plain);
  });

  it('shares its gates between all agents', () => {
    const metrics = simulate(worldWith({ kind: 'outage' }), holdfast('spec'), '1');
    expect(metrics.notes['circuit_openings']).toBe(1);
    // Five failures open the circuit for 30 s; 200 calls are made during that time.
    expect(metrics.requestsPerCallDuring).toBeLessThan(0.1);
  });

  it('classifies the errors of services like those of any tool', () => {
    const limited = eventsOf(worldWith({ kind: 'rate_limit', limit: 20, windowMs: 5_000 }), { policy: { breaker: false } });
    const errors = limited.filter((event) => event.event_type === 'ToolError');
    expect(errors.length).toBeGreaterThan(20);
    expect(new Set(errors.map((event) => ('category' in event ? event.category : '')))).toEqual(new Set(['rate_limit']));
    const waits = limited.flatMap((event) => (event.event_type === 'RecoveryDecided' ? [event.inputs.retry_after_ms] : []));
    expect(waits.filter((wait) => (wait ?? 0) >= 1_000).length).toBeGreaterThan(20);
  });

  it('does not retry calls that can never succeed', () => {
    const metrics = simulate(worldWith({ kind: 'permanent', share: 0.5 }), holdfast('spec'), '1');
    expect(metrics.requestsPerCall).toBe(1);
    expect(metrics.success).toBe(1);
  });

  it('does not repeat unsafe work whose answer was lost, unless it is declared safe', () => {
    const world = (effect: 'unsafe' | 'read'): World => ({
      ...worldWith({ kind: 'lost_answers', share: 0.3 }),
      tools: { search: { service: 'search', effect, timeoutMs: 1_000 } },
    });
    expect(simulate(world('unsafe'), holdfast('spec'), '1').duplicates).toBe(0);
    expect(simulate(world('unsafe'), holdfast('adaptive'), '1').duplicates).toBe(0);
    const careless = holdfast({ policy: { effect: 'read' } });
    const { duplicates, wastedRequests } = simulate(world('unsafe'), careless, '1');
    expect(duplicates).toBeGreaterThan(20);
    expect(wastedRequests).toBe(0);
    // Reads have no side effects to count.
    expect(simulate(world('read'), careless, '1').duplicates).toBe(0);
  });

  it('counts work that was done after its caller had given up', () => {
    const world = { ...worldWith(), tools: { search: { service: 'search', timeoutMs: 100 } } };
    const metrics = simulate(world, none, '1');
    // Requests that took longer than 100 ms were given up, but the work continued.
    expect(metrics.wastedRequests).toBe(metrics.turns - Math.round(metrics.success * metrics.turns));
    expect(metrics.wastedRequests).toBeGreaterThan(300);
  });

  it('uses the alternative of a tool whose host is down', () => {
    const faults = [{ host: 'travel.example', fromMs: 5_000, forMs: 20_000, kind: 'outage' }] as const;
    const metrics = simulate({ ...scenarios.shared_host, durationMs: 30_000, faults }, holdfast('spec'), '1');
    expect(metrics.notes['alternatives_used']).toBeGreaterThan(300);
    // The weather tool, a third of the turns, works all the time.
    expect(metrics.during).toBeCloseTo(1 / 3, 1);
  });

  it('passes every event of a turn, from the first to the last, to onEvent', () => {
    const events = eventsOf(worldWith({ kind: 'random_failures', share: 0.3 }), { profile: 'adaptive' });
    const turns = new Map<string, TraceEvent[]>();
    for (const event of events) turns.set(event.turn_id, [...(turns.get(event.turn_id) ?? []), event]);
    expect(turns.size).toBeGreaterThan(400);
    for (const ofTurn of turns.values()) {
      expect(ofTurn[0]?.event_type).toBe('TurnStarted');
      expect(ofTurn.map(({ seq }) => seq)).toEqual(ofTurn.map((_, index) => index + 1));
      expect(ofTurn.some(({ event_type }) => event_type === 'TurnCompleted')).toBe(true);
    }
    expect(events[0]?.timestamp).toMatch(/^2026-01-01T00:00:/);
  });

  it('passes only the requested event types', () => {
    const types = new Set(eventsOf(worldWith(), { eventTypes: ['CallCompleted'] }).map(({ event_type }) => event_type));
    expect([...types]).toEqual(['CallCompleted']);
  });

  it('gives the same result with and without a subscriber', () => {
    const world = worldWith({ kind: 'flapping', downMs: [500, 2_000], upMs: [500, 2_000] });
    const subscribed = simulate(world, holdfast({ profile: 'adaptive', onEvent: () => {} }), '1');
    expect(simulate(world, holdfast('adaptive'), '1')).toEqual(subscribed);
  });
});
