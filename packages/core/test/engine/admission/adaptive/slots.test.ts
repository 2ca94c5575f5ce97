import { describe, expect, it } from 'vitest';
import { cancelWait } from '../../../../src/engine/admission/gate.ts';
import { AdaptiveGate } from './adaptive-gate.ts';

describe('limits of a tool', () => {
  it('a concurrency limit is kept, and calls that wait for a slot get it in the order in which they came', () => {
    const gate = new AdaptiveGate({ concurrency: { limit: 2, queue: Infinity } }).warmUp();
    const running = [gate.start(), gate.start()];
    const tickets = [gate.wait({ waitMs: 50_000 }), gate.wait({ waitMs: 9_000 }), gate.wait({ waitMs: 70_000 })];
    gate.now += 100;
    expect(gate.end(running[0]!, 'success').woken).toEqual([tickets[0]]);
    // A slot that is kept for a woken call is not free.
    expect(gate.ask({ waitMs: 1_000 })).toMatchObject({ kind: 'wait' });
    expect(gate.end(running[1]!, 'success').woken).toEqual([tickets[1]]);
    expect(cancelWait(gate.gate, tickets[0]!).woken).toEqual([tickets[2]]);
  });

  it.each([
    ['a slot', { concurrency: { limit: 1, queue: Infinity } }],
    ['a rate limit', { rateLimit: { limit: 1, windowMs: 3_600_000 } }],
  ])('a call waits for %s as long as it may without the layer, however long it may wait for recovery', (_what, limit) => {
    const gate = new AdaptiveGate(limit);
    gate.start();
    const ticket = gate.wait({ slotMs: Infinity });
    const ends = gate.wait({ slotMs: 700_000 });
    expect(gate.pass(3_000_000)).toEqual([{ ticket: ends, at: gate.now - 2_300_000 }]);
    expect(gate.health.queued).toBe(1);
    expect(cancelWait(gate.gate, ticket).woken).toEqual([]);
  });

  it('a call that waits for a slot waits for recovery once its tool is down, and no longer than that allows', () => {
    const gate = new AdaptiveGate({ concurrency: { limit: 1, queue: Infinity } }).warmUp();
    const running = gate.start();
    const begin = gate.now;
    const tickets = [gate.wait({ waitMs: 10_000, slotMs: Infinity }), gate.wait({ waitMs: 60_000, slotMs: Infinity })];
    gate.gate.breaker.state = 'open';
    gate.gate.breaker.openUntil = Infinity;
    gate.end(running, 'transient');
    gate.adaptive.failed.byTimeouts = true;
    expect(gate.pass(100_000)).toEqual([
      { ticket: tickets[0], at: begin + 10_000 },
      { ticket: tickets[1], at: begin + 60_000 },
    ]);
  });
});
