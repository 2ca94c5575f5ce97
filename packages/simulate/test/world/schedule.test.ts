import { describe, expect, it } from 'vitest';
import type { WorldFault } from '../../src/index.ts';
import { scenarios } from '../../src/index.ts';
import { drawSchedule } from '../../src/world/schedule.ts';

const worldWith = (...faults: readonly WorldFault[]) => ({ ...scenarios.shared_host, faults });

describe('a schedule', () => {
  it('draws random values from the seed, within their range', () => {
    const world = worldWith({ service: 'hotels', fromMs: [100, 200], forMs: [50, 60], kind: 'outage' });
    const windows = Array.from({ length: 200 }, (_, seed) => drawSchedule(world, String(seed)).windows[0]);
    for (const window of windows) {
      expect(window?.fromMs).toBeGreaterThanOrEqual(100);
      expect(window?.fromMs).toBeLessThan(200);
      const lasts = (window?.untilMs ?? 0) - (window?.fromMs ?? 0);
      expect(lasts).toBeGreaterThanOrEqual(50 - 1e-9);
      expect(lasts).toBeLessThan(60);
    }
    expect(new Set(windows.map((window) => window?.fromMs)).size).toBe(200);
    expect(drawSchedule(world, '7').windows).toEqual(drawSchedule(world, '7').windows);
  });

  it('affects a service by its name, or all services of a host', () => {
    const outage = { fromMs: 0, forMs: 10, kind: 'outage' } as const;
    const { faultsOf } = drawSchedule(worldWith({ service: 'hotels', ...outage }, { host: 'travel.example', ...outage }), '1');
    expect(faultsOf('hotels')).toHaveLength(2);
    expect(faultsOf('flights')).toHaveLength(1);
    expect(faultsOf('other_weather')).toHaveLength(0);
  });

  it('alternates between down and up until its end', () => {
    const world = worldWith({
      service: 'hotels',
      fromMs: 1_000,
      forMs: 100_000,
      kind: 'flapping',
      downMs: [5_000, 15_000],
      upMs: [2_000, 4_000],
    });
    const down = drawSchedule(world, '1').faultsOf('hotels')[0]?.down ?? [];
    expect(down.length).toBeGreaterThan(4);
    expect(down[0]?.fromMs).toBe(1_000);
    for (const [index, { fromMs, untilMs }] of down.entries()) {
      expect(untilMs - fromMs).toBeGreaterThan(0);
      expect(untilMs - fromMs).toBeLessThanOrEqual(15_000);
      expect(untilMs).toBeLessThanOrEqual(101_000);
      const up = fromMs - (down[index - 1]?.untilMs ?? fromMs - 2_000);
      expect(up).toBeGreaterThanOrEqual(2_000 - 1e-6);
      expect(up).toBeLessThanOrEqual(4_000);
    }
  });

  it('knows when a fault is active, and when the last has ended', () => {
    const { isFaulty, endsAt } = drawSchedule(
      worldWith(
        { service: 'hotels', fromMs: 100, forMs: 100, kind: 'outage' },
        { service: 'flights', fromMs: 150, forMs: 100, kind: 'outage' },
        { service: 'flights', fromMs: 400, forMs: 10, kind: 'outage' },
      ),
      '1',
    );
    expect([99, 100, 249, 250, 399, 405, 410].map(isFaulty)).toEqual([false, true, true, false, false, true, false]);
    expect(endsAt).toBe(410);
    expect(drawSchedule(worldWith(), '1').endsAt).toBeUndefined();
  });
});
