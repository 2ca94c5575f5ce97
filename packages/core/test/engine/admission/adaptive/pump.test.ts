/** Which waiting calls start while the tool is down, and when the gate is asked again. */
import { describe, expect, it } from 'vitest';
import { cancelWait, markOrphaned } from '../../../../src/engine/admission/gate.ts';
import { AdaptiveGate } from './adaptive-gate.ts';

describe('last chance: while the tool is down, a call that was never sent', () => {
  it('is sent after half of its time', () => {
    const gate = new AdaptiveGate().warmUp().keepDown();
    const began = gate.now;
    const ticket = gate.wait({ waitMs: 20_000 });
    expect(gate.pass(20_000)).toEqual([{ ticket, at: began + 10_000 }]);
    expect(gate.start({ ticket }).permit.probe).toBe(false);
  });

  it('is sent after 30 seconds, however much time it has', () => {
    const gate = new AdaptiveGate().warmUp().keepDown();
    const began = gate.now;
    const ticket = gate.wait({ waitMs: 600_000 });
    expect(gate.pass(600_000)).toEqual([{ ticket, at: began + 30_000 }]);
  });

  it('is sent at once when half of its time is over already', () => {
    const gate = new AdaptiveGate().warmUp().keepDown();
    const asked = gate.now;
    const ticket = gate.wait({ bornAt: asked - 50_000, waitMs: 10_000 });
    expect(gate.pass(1)).toEqual([{ ticket, at: asked }]);
  });

  it('is not sent when the tool is down by time-outs: at the end of its time it is refused', () => {
    const gate = new AdaptiveGate().warmUp().keepDown({ timedOut: true });
    const ticket = gate.wait({ waitMs: 20_000 });
    expect(gate.pass(20_000)).toEqual([{ ticket, at: gate.now }]);
    expect(gate.refusal({ ticket, waitMs: false })).toMatchObject({ code: 'CIRCUIT_OPEN' });
  });

  it('is sent when the tool is down by time-outs and has never succeeded: nothing shows that it is overloaded', () => {
    const gate = new AdaptiveGate().keepDown({ timedOut: true });
    const began = gate.now;
    const ticket = gate.wait({ waitMs: 20_000 });
    expect(gate.pass(20_000)).toEqual([{ ticket, at: began + 10_000 }]);
  });

  it('is sent when its latest probe did not time out', () => {
    const gate = new AdaptiveGate().warmUp().breakDown({ timedOut: true });
    gate.now = gate.gate.breaker.openUntil;
    gate.end(gate.start(), 'transient');
    gate.gate.breaker.openUntil = Infinity;
    const began = gate.now;
    const ticket = gate.wait({ waitMs: 20_000 });
    expect(gate.pass(20_000)).toEqual([{ ticket, at: began + 10_000 }]);
  });

  it('unlike a retry, which waits for recovery', () => {
    const gate = new AdaptiveGate().warmUp().keepDown();
    const ticket = gate.wait({ failed: { down: true }, waitMs: 20_000 });
    expect(gate.pass(20_000)).toEqual([{ ticket, at: gate.now }]);
    expect(gate.refusal({ ticket, waitMs: false, retry: true })).toMatchObject({ code: 'CIRCUIT_OPEN' });
  });

  it('brings the tool back when it succeeds, and changes nothing when it fails', () => {
    const gate = new AdaptiveGate().warmUp().keepDown();
    const tickets = [gate.wait({ waitMs: 20_000 }), gate.wait({ waitMs: 20_000 }), gate.wait({ waitMs: 60_000, failed: {} })];
    gate.pass(10_000);
    expect(gate.end(gate.start({ ticket: tickets[0]! }), 'transient').transitions).toEqual([]);
    const { transitions, woken } = gate.end(gate.start({ ticket: tickets[1]! }), 'success');
    expect(transitions).toMatchObject([{ to: 'closed' }]);
    expect(woken).toEqual([]);
    expect(gate.run('success').woken).toEqual([tickets[2]]);
  });
});

describe('probes', () => {
  it('are waiting calls, one at a time, and the others wait', () => {
    const gate = new AdaptiveGate().warmUp().breakDown({ timedOut: true });
    const tickets = [gate.wait(), gate.wait(), gate.wait()];
    const { openUntil } = gate.gate.breaker;
    expect(gate.wakeAt).toBe(openUntil);
    expect(gate.pass(openUntil - gate.now)).toEqual([{ ticket: tickets[0], at: openUntil }]);
    expect(gate.pass(20_000)).toEqual([]);
    expect(gate.ask()).toMatchObject({ kind: 'wait', wait: 'recovery' });
    expect(gate.start({ ticket: tickets[0]! }).permit.probe).toBe(true);
  });

  it('are made by the call with the fewest attempts', () => {
    const gate = new AdaptiveGate().warmUp().breakDown({ timedOut: true });
    gate.wait({ failed: {}, attempts: 3 });
    const once = gate.wait({ failed: {}, attempts: 1 });
    gate.wait({ failed: {}, attempts: 2 });
    expect(gate.pass(2_000).map(({ ticket }) => ticket)).toEqual([once]);
  });

  it('start also when the tool came back before they did, without a token', () => {
    const gate = new AdaptiveGate().warmUp();
    gate.now += 2_000;
    const slow = gate.start();
    gate.breakDown();
    const ticket = gate.wait();
    expect(gate.pass(3_000)).toMatchObject([{ ticket }]);
    expect(gate.end(slow, 'success').transitions).toMatchObject([{ to: 'closed' }]);
    expect(gate.adaptive.pace.tokens).toBe(0);
    expect(gate.start({ ticket, failed: { down: true } }).permit.probe).toBe(false);
    expect(gate.adaptive.pace).toMatchObject({ tokens: 0, lastSentAt: gate.now });
  });

  it('are made by a new call if none waits', () => {
    const gate = new AdaptiveGate().warmUp().breakDown();
    gate.now = gate.gate.breaker.openUntil;
    expect(gate.start().permit.probe).toBe(true);
  });

  it('cost no tokens', () => {
    const gate = new AdaptiveGate().warmUp().breakDown({ timedOut: true });
    gate.adaptive.pace.tokens = 0;
    const ticket = gate.wait({ failed: { timedOut: true, down: true } });
    expect(gate.pass(2_000)).toMatchObject([{ ticket }]);
    expect(gate.start({ ticket, retry: true }).permit.probe).toBe(true);
    expect(gate.adaptive.pace.tokens).toBe(0);
  });

  it('are made by the next one at once where the first gives up before it has come back', () => {
    const gate = new AdaptiveGate().warmUp().breakDown({ timedOut: true });
    const [one, two] = [gate.wait(), gate.wait()];
    gate.pass(2_000);
    expect(cancelWait(gate.gate, one).woken).toEqual([two]);
  });

  it('start as long as there are free slots, whatever still runs', () => {
    const gate = new AdaptiveGate({ concurrency: { limit: 1, queue: Infinity } }).warmUp();
    gate.breakDown({ timedOut: true });
    gate.now = gate.gate.breaker.openUntil;
    const running = gate.start();
    markOrphaned(gate.gate, running.permit);
    const ticket = gate.wait();
    expect(gate.pass(20_000)).toEqual([]);
    expect(gate.end(running, 'transient', { timedOut: true }).woken).toEqual([ticket]);
  });

  it('are as many as one per interval where each fails at once, however many calls wait', () => {
    const gate = new AdaptiveGate().warmUp({ calls: 300, gapMs: 10 }).breakDown({ timedOut: true });
    for (let nth = 0; nth < 500; nth += 1) gate.wait({ waitMs: 55_000 });
    let probes = 0;
    const end = gate.now + 50_000;
    for (let at = gate.wakeAt; at !== undefined && at < end; at = gate.wakeAt) {
      gate.now = at;
      for (const ticket of gate.wake()) {
        probes += 1;
        gate.end(gate.start({ ticket }), 'transient', { timedOut: true });
      }
    }
    expect(probes).toBeGreaterThanOrEqual(90);
    expect(probes).toBeLessThanOrEqual(116);
  });

  it('that hang are followed by others, each after half an open period and an open period', () => {
    const gate = new AdaptiveGate().warmUp({ calls: 300, gapMs: 10 }).breakDown({ timedOut: true });
    for (let nth = 0; nth < 100; nth += 1) gate.wait({ waitMs: 55_000 });
    const starts: number[] = [];
    const end = gate.now + 30_000;
    for (let at = gate.wakeAt; at !== undefined && at < end; at = gate.wakeAt) {
      gate.now = at;
      for (const ticket of gate.wake()) {
        expect(gate.start({ ticket }).permit.probe).toBe(true);
        starts.push(at);
      }
    }
    const gaps = starts.slice(1).map((at, nth) => at - starts[nth]!);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1.5 * 375);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(1.5 * 625);
  });

  it('that have waited pay the rate limit once', () => {
    const gate = new AdaptiveGate({ rateLimit: { limit: 6, windowMs: 60_000 } }).breakDown({ timedOut: true });
    const [one, two] = [gate.wait(), gate.wait()];
    expect(gate.pass(10_000)).toMatchObject([{ ticket: one }]);
    gate.end(gate.start({ ticket: one }), 'transient', { timedOut: true });
    expect(gate.ask({ ticket: two })).toMatchObject({ kind: 'wait', wait: 'recovery' });
    // Five calls, and one probe.
    expect(gate.pass(46_000)).toEqual([]);
  });
});

describe('the time of the next event', () => {
  it('is unknown while nothing waits', () => {
    const gate = new AdaptiveGate().warmUp();
    expect(gate.wakeAt).toBeUndefined();
    gate.breakDown();
    expect(gate.wakeAt).toBeUndefined();
  });

  it('is the end of a wait at the latest', () => {
    const gate = new AdaptiveGate({ concurrency: { limit: 1, queue: Infinity } }).warmUp();
    gate.start();
    const began = gate.now;
    const ticket = gate.wait({ waitMs: 7_000 });
    expect(gate.pass(60_000)).toEqual([{ ticket, at: began + 7_000 }]);
    expect(gate.refusal({ ticket, waitMs: false })).toMatchObject({ code: 'BULKHEAD_FULL' });
    expect(gate.wakeAt).toBeUndefined();
  });
});
