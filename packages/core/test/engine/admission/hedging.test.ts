import { describe, expect, it } from 'vitest';
import {
  attemptAdmitted,
  attemptSucceeded,
  createHedging,
  hedgeAdmitted,
  hedgeDelayMs,
  mayHedge,
} from '../../../src/engine/admission/hedging.ts';
import { record } from '../../../src/engine/admission/gate.ts';
import type { Hedging } from '../../../src/engine/admission/hedging.ts';
import type { GateSettings } from '../../../src/engine/admission/types.ts';
import { GateDriver } from './gate-driver.ts';

const learning: Partial<GateSettings> = { waitForRecovery: true };

/** A tool that has answered often enough for a 95th percentile. */
function usually(durationMs: number): { readonly hedging: Hedging; readonly driver: GateDriver } {
  const hedging = createHedging();
  const driver = new GateDriver(learning);
  for (let call = 0; call < 40; call += 1) attemptSucceeded(hedging, driver.permit(), durationMs);
  return { hedging, driver };
}

describe('the delay', () => {
  it('is the given one', () => {
    expect(hedgeDelayMs(createHedging(), { afterMs: 70, maxHedges: 1 }, new GateDriver().gate)).toBe(70);
  });

  it('is the 95th percentile, once there are enough answers', () => {
    const p95 = { afterMs: 'p95', maxHedges: 1 } as const;
    expect(hedgeDelayMs(createHedging(), p95, new GateDriver(learning).gate)).toBeUndefined();
    const { hedging, driver } = usually(120);
    expect(hedgeDelayMs(hedging, p95, driver.gate)).toBe(120);
  });

  it.each([
    { durationMs: 4, delayMs: 10 },
    { durationMs: 0.5, delayMs: undefined },
  ])('of a tool that answers in $durationMs ms is $delayMs, where calls wait for recovery', ({ durationMs, delayMs }) => {
    const { hedging, driver } = usually(durationMs);
    expect(hedgeDelayMs(hedging, { afterMs: 'p95', maxHedges: 1 }, driver.gate)).toBe(delayMs);
    expect(hedgeDelayMs(hedging, { afterMs: 'p95', maxHedges: 1 }, new GateDriver().gate)).toBe(durationMs);
  });

  it('is none for a tool that often fails', () => {
    const driver = new GateDriver(learning);
    const delay = (): number | undefined => hedgeDelayMs(createHedging(), { afterMs: 70, maxHedges: 1 }, driver.gate);
    for (let nth = 0; nth < 100; nth += 1) driver.call(nth % 12 === 0 ? 'transient' : 'success');
    expect(delay()).toBe(70);
    for (let nth = 0; nth < 100; nth += 1) driver.call(nth % 6 === 0 ? 'transient' : 'success');
    expect(delay()).toBeUndefined();
  });

  it('is none for a tool that is slower than usual: it needs no second attempts', () => {
    const driver = new GateDriver(learning);
    const delay = (): number | undefined => hedgeDelayMs(createHedging(), { afterMs: 70, maxHedges: 1 }, driver.gate);
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

describe('the credit', () => {
  it('is one hedge at first, and one more per twenty attempts', () => {
    const driver = new GateDriver(learning);
    const hedging = createHedging();
    expect(mayHedge(hedging, driver.gate, driver.now)).toBe(true);
    hedgeAdmitted(hedging, driver.permit());
    expect(mayHedge(hedging, driver.gate, driver.now)).toBe(false);
    for (let attempt = 0; attempt < 19; attempt += 1) attemptAdmitted(hedging);
    expect(mayHedge(hedging, driver.gate, driver.now)).toBe(false);
    attemptAdmitted(hedging);
    attemptAdmitted(hedging);
    expect(mayHedge(hedging, driver.gate, driver.now)).toBe(true);
  });

  it('comes back with a hedge that was as fast as usual, and is lost with a slow one', () => {
    for (const [durationMs, credit] of [
      [120, 1],
      [121, 0],
    ] as const) {
      const { hedging, driver } = usually(120);
      const permit = driver.permit();
      hedgeAdmitted(hedging, permit);
      attemptSucceeded(hedging, permit, durationMs);
      expect(hedging.credit).toBe(credit);
    }
  });

  it('is neither earned by an attempt that is no hedge, nor below 0, nor above 5', () => {
    const { hedging, driver } = usually(120);
    attemptSucceeded(hedging, driver.permit(), 1);
    expect(hedging.credit).toBe(1);
    for (let hedge = 0; hedge < 3; hedge += 1) hedgeAdmitted(hedging, driver.permit());
    expect(hedging.credit).toBe(0);
    for (let attempt = 0; attempt < 1_000; attempt += 1) attemptAdmitted(hedging);
    expect(hedging.credit).toBe(5);
  });
});

describe('no hedge', () => {
  it('while the circuit is not closed: it would be a probe', () => {
    const driver = new GateDriver(learning);
    expect(mayHedge(createHedging(), driver.gate, driver.now)).toBe(true);
    driver.open();
    expect(mayHedge(createHedging(), driver.gate, driver.now)).toBe(false);
    driver.gate.breaker.mode = 'shadow';
    expect(mayHedge(createHedging(), driver.gate, driver.now)).toBe(true);
  });

  it('while calls wait for a slot', () => {
    const driver = new GateDriver({ concurrency: { limit: 1, queue: 5 } });
    driver.permit();
    expect(driver.ask().kind).toBe('wait');
    expect(mayHedge(createHedging(), driver.gate, driver.now)).toBe(false);
  });
});
