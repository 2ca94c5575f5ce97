import { describe, expect, it } from 'vitest';
import { hedgeDelayMs, LatencyWindow, mayHedge } from '../../../src/engine/admission/hedging.ts';
import { record } from '../../../src/engine/admission/gate.ts';
import type { GateSettings } from '../../../src/engine/admission/types.ts';
import { GateDriver } from './gate-driver.ts';

const learning: Partial<GateSettings> = { waitForRecovery: true };

/** A tool that has answered often enough for a 95th percentile. */
function usually(durationMs: number): { readonly latency: LatencyWindow; readonly driver: GateDriver } {
  const latency = new LatencyWindow();
  const driver = new GateDriver(learning);
  for (let call = 0; call < 40; call += 1) latency.observe(durationMs);
  return { latency, driver };
}

describe('the delay', () => {
  it('is the given one', () => {
    expect(hedgeDelayMs(new LatencyWindow(), { afterMs: 70, maxHedges: 1 }, new GateDriver().gate)).toBe(70);
  });

  it('is the 95th percentile, once there are enough answers', () => {
    const p95 = { afterMs: 'p95', maxHedges: 1 } as const;
    expect(hedgeDelayMs(new LatencyWindow(), p95, new GateDriver(learning).gate)).toBeUndefined();
    const { latency, driver } = usually(120);
    expect(hedgeDelayMs(latency, p95, driver.gate)).toBe(120);
  });

  it.each([
    { durationMs: 4, delayMs: 10 },
    { durationMs: 0.5, delayMs: undefined },
  ])('of a tool that answers in $durationMs ms is $delayMs, where calls wait for recovery', ({ durationMs, delayMs }) => {
    const { latency, driver } = usually(durationMs);
    expect(hedgeDelayMs(latency, { afterMs: 'p95', maxHedges: 1 }, driver.gate)).toBe(delayMs);
    expect(hedgeDelayMs(latency, { afterMs: 'p95', maxHedges: 1 }, new GateDriver().gate)).toBe(durationMs);
  });

  it('is twice the usual duration at least, where calls wait for recovery: before that, the first attempt may end as soon', () => {
    const { latency, driver } = usually(120);
    const succeed = (durationMs: number): void => void record(driver.gate, driver.permit(), { outcome: 'success', durationMs }, driver.now);
    succeed(120);
    const delay = (): number => Math.round(hedgeDelayMs(latency, { afterMs: 'p95', maxHedges: 1 }, driver.gate) ?? 0);
    expect(delay()).toBe(240);
    for (let nth = 0; nth < 40; nth += 1) latency.observe(300);
    expect(delay()).toBe(300);
  });

  it('is none for a tool that often fails', () => {
    const driver = new GateDriver(learning);
    const delay = (): number | undefined => hedgeDelayMs(new LatencyWindow(), { afterMs: 70, maxHedges: 1 }, driver.gate);
    for (let nth = 0; nth < 100; nth += 1) driver.call(nth % 12 === 0 ? 'transient' : 'success');
    expect(delay()).toBe(70);
    for (let nth = 0; nth < 100; nth += 1) driver.call(nth % 6 === 0 ? 'transient' : 'success');
    expect(delay()).toBeUndefined();
  });

  it('is none for a tool that is slower than usual: it needs no second attempts', () => {
    const driver = new GateDriver(learning);
    const delay = (): number | undefined => hedgeDelayMs(new LatencyWindow(), { afterMs: 70, maxHedges: 1 }, driver.gate);
    const succeed = (durationMs: number): void => {
      for (let nth = 0; nth < 30; nth += 1) record(driver.gate, driver.permit(), { outcome: 'success', durationMs }, driver.now);
    };
    succeed(10);
    expect(delay()).toBe(70);
    driver.pass(1_000);
    succeed(100);
    expect(delay()).toBeUndefined();
    succeed(10);
    expect(delay()).toBe(70);
  });
});

describe('no hedge', () => {
  it('while the circuit is not closed: it would be a probe', () => {
    const driver = new GateDriver(learning);
    expect(mayHedge(driver.gate, driver.now)).toBe(true);
    driver.open();
    expect(mayHedge(driver.gate, driver.now)).toBe(false);
    driver.gate.breaker.mode = 'shadow';
    expect(mayHedge(driver.gate, driver.now)).toBe(true);
  });

  it('in the last free slot, nor under a rate limit: both are for first attempts', () => {
    const driver = new GateDriver({ concurrency: { limit: 3, queue: 5 } });
    driver.permit();
    expect(mayHedge(driver.gate, driver.now)).toBe(true);
    driver.permit();
    expect(mayHedge(driver.gate, driver.now)).toBe(false);
    const limited = new GateDriver({ rateLimit: { limit: 100, windowMs: 1_000 } });
    expect(mayHedge(limited.gate, limited.now)).toBe(false);
  });

  it('while calls wait for a slot', () => {
    const driver = new GateDriver({ concurrency: { limit: 1, queue: 5 } });
    driver.permit();
    expect(driver.ask().kind).toBe('wait');
    expect(mayHedge(driver.gate, driver.now)).toBe(false);
  });
});
