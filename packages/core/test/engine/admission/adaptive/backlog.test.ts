/** Which waiting calls leave while the tool is up, and in which order. */
import { describe, expect, it } from 'vitest';
import { AdaptiveGate, type Attempt } from './adaptive-gate.ts';

describe('the backlog of an outage', () => {
  /** Calls wait since two seconds, and the tool is back. */
  function backAfterOutage(waiting = 40): { gate: AdaptiveGate; tickets: readonly number[] } {
    const gate = new AdaptiveGate().warmUp({ calls: 300, gapMs: 50, durationMs: 10 }).keepDown();
    const tickets = Array.from({ length: waiting }, () => gate.wait({ waitMs: 600_000 }));
    gate.pass(2_000);
    expect(gate.bringBack().woken).toEqual([]);
    return { gate, tickets };
  }

  it('does not leave with the probe, and each success after it in the usual time lets one call leave, the oldest first', () => {
    const { gate, tickets } = backAfterOutage();
    const served = [...gate.run('success').woken];
    expect(served).toHaveLength(1);
    for (let [ticket] = served; served.length < 20;) {
      const attempt = gate.start({ ticket: ticket! });
      expect(gate.pass(15)).toEqual([]);
      const { woken } = gate.end(attempt, 'success');
      expect(woken).toHaveLength(1);
      [ticket] = woken;
      served.push(ticket!);
    }
    expect(served).toEqual(tickets.slice(0, 20));
  });

  it('is let out by first attempts as well, one call per success, and these are not held', () => {
    const { gate, tickets } = backAfterOutage();
    const woken = tickets.slice(0, 10).map(() => gate.run('success', 10).woken);
    expect(woken).toEqual(tickets.slice(0, 10).map((ticket) => [ticket]));
  });

  it.each([
    ['slow successes', 'success', { durationMs: 40 }],
    ['failures', 'transient', {}],
    ['permanent errors', 'permanent', {}],
  ] as const)('is let out by no %s', (_what, outcome, more) => {
    const { gate } = backAfterOutage();
    for (let nth = 0; nth < 15; nth += 1) {
      expect(gate.run(outcome, 10, more).woken).toEqual([]);
      expect(gate.pass(50)).toEqual([]);
    }
  });

  it('waits while the tool is slower than usual, whatever has been paid, apart from one call per second or six mean gaps', () => {
    const { gate } = backAfterOutage();
    for (let nth = 0; nth < 10; nth += 1) gate.end(gate.start(), 'success', { durationMs: 100 });
    gate.adaptive.pace.tokens = 10;
    for (let nth = 0; nth < 15; nth += 1) {
      gate.start();
      expect(gate.pass(50)).toEqual([]);
    }
    const { gapMs, lastSentAt } = gate.adaptive.pace;
    const times = gate.pass(9_900).map(({ at }) => at);
    expect(times).toHaveLength(9);
    for (const [nth, at] of times.entries()) expect(at - (times[nth - 1] ?? lastSentAt)).toBeCloseTo(Math.max(1_000, 6 * gapMs), 6);
    expect(gate.adaptive.pace.tokens).toBe(10);
  });

  it('pays a token for each call, and four after a time-out, which cost the tool work', () => {
    const { gate } = backAfterOutage(0);
    gate.adaptive.pace.tokens = 0;
    const asked = gate.wait({ failed: { down: true } });
    gate.adaptive.pace.tokens = 10;
    expect(gate.pass(0)).toEqual([{ ticket: asked, at: gate.now }]);
    expect(gate.adaptive.pace.tokens).toBe(9);
    gate.start({ failed: { down: true } });
    expect(gate.adaptive.pace.tokens).toBe(8);
    gate.start({ failed: { down: true, timedOut: true } });
    expect(gate.adaptive.pace.tokens).toBe(4);
    gate.adaptive.pace.tokens = 3;
    expect(gate.ask({ failed: { down: true, timedOut: true } })).toMatchObject({ kind: 'wait', wait: 'retry_budget' });
  });

  it('keeps a rate limit, and is not held by it longer than it lasts', () => {
    const gate = new AdaptiveGate({ rateLimit: { limit: 5, windowMs: 1_000 } }).warmUp({ calls: 30, gapMs: 250 });
    gate.now += 1_000;
    gate.keepDown();
    const tickets = Array.from({ length: 12 }, () => gate.wait());
    gate.pass(2_000);
    gate.bringBack();
    const backAt = gate.now;
    const woken: { readonly ticket: number; readonly at: number }[] = [];
    while (woken.length < tickets.length) {
      gate.adaptive.pace.tokens = 10;
      woken.push(...gate.pass(100));
    }
    expect(woken.map(({ ticket }) => ticket)).toEqual(tickets);
    const fiveApart = woken.slice(5).map(({ at }, nth) => at - woken[nth]!.at);
    expect(Math.min(...fiveApart)).toBeGreaterThanOrEqual(1_000);
    expect(woken.at(-1)!.at - backAt).toBeLessThan(4_000);
  });
});

describe('the order', () => {
  it('in the backlog: calls younger than two seconds first, the newest before all others, then those whose time ends first', () => {
    const gate = new AdaptiveGate().warmUp({ calls: 300, gapMs: 10 }).keepDown();
    const old = gate.wait({ waitMs: 50_000 });
    const older = gate.wait({ waitMs: 40_000, failed: { down: true }, bornAt: gate.now - 9_000 });
    gate.now += 1_000;
    const fresh = gate.wait();
    gate.now += 1_900;
    const freshest = gate.wait();
    expect(gate.bringBack().woken).toEqual([]);
    // Enough for each of them, so that their costs do not decide.
    gate.adaptive.pace.tokens = 10;
    expect(gate.wake()).toEqual([freshest, fresh, older, old]);
  });

  it('of calls that are ready: before the backlog', () => {
    const gate = new AdaptiveGate({ concurrency: { limit: 2, queue: Infinity } }).warmUp({ calls: 300, gapMs: 10 }).keepDown();
    const held = [gate.wait({ bornAt: gate.now - 2_000 }), gate.wait()];
    gate.pass(2_000);
    gate.bringBack();
    expect(gate.run('success').woken).toEqual([held[0]]);
    const running: Attempt[] = [gate.start({ ticket: held[0]! }), gate.start()];
    gate.now += 5_000;
    const ready = gate.wait();
    gate.adaptive.pace.tokens = 5;
    expect(gate.end(running[0]!, 'permanent').woken).toEqual([ready]);
    gate.start({ ticket: ready });
    expect(gate.end(running[1]!, 'permanent').woken).toEqual([held[1]]);
  });

  it('behind the limit that time-outs have set: the newest of the fresh calls first; the others are backlog', () => {
    const gate = new AdaptiveGate().warmUp().overload();
    const running = Array.from({ length: 4 }, () => gate.start());
    gate.now += 900;
    for (const attempt of running.slice(0, 3)) gate.end(attempt, 'transient', { timedOut: true });
    expect(gate.health.limit).toBe(1);
    const [oldest, old] = [gate.wait({ bornAt: gate.now - 3_000 }), gate.wait({ bornAt: gate.now - 2_500, waitMs: 60_100 })];
    gate.now += 10;
    const [fresh, freshest] = [gate.wait(), ((gate.now += 10), gate.wait())];
    const order: number[] = [];
    let last = running[3]!;
    const next = (outcome: 'neutral' | 'success'): void => {
      const { woken } = gate.end(last, outcome);
      order.push(...woken);
      last = gate.start(woken[0] === undefined ? {} : { ticket: woken[0] });
      for (const ticket of woken.slice(1)) gate.end(gate.start({ ticket }), 'neutral');
    };
    for (let nth = 0; nth < 4; nth += 1) next('neutral');
    expect(order).toEqual([freshest, fresh]);
    // They wait until the tool is as fast as usual again.
    for (let nth = 0; nth < 40 && order.length < 4; nth += 1) next('success');
    expect(order).toEqual([freshest, fresh, oldest, old]);
  });
});

it.each([
  ['that took no time', 1],
  ['that took as long as a success', 50],
])(
  'of a burst of 200 calls in a new process, 29 that were refused once, in answers %s, have succeeded within a second',
  (_how, refusedMs) => {
    const gate = new AdaptiveGate();
    const began = gate.now;
    const burst = Array.from({ length: 200 }, () => gate.start());
    gate.now += refusedMs;
    const refused = burst.filter((_attempt, nth) => nth % 7 === 6).slice(0, 29);
    // Most of the calls answer first, or the tool would be down.
    const answered = burst.filter((attempt) => !refused.includes(attempt));
    gate.now = began + 50;
    for (const attempt of answered) gate.end(attempt, 'success');
    for (const attempt of refused) gate.end(attempt, 'transient', { durationMs: refusedMs });
    gate.now += 100;
    const answers = refused.map(() => gate.ask({ failed: {} }));
    const running = answers.flatMap((answer) =>
      answer.kind === 'permit' ? [{ permit: answer.permit, call: {}, startedAt: gate.now }] : [],
    );
    while (running.length > 0 || gate.health.queued > 0) {
      const woken = gate.pass(50).map(({ ticket }) => ticket);
      const ended = running.splice(0);
      for (const attempt of ended) woken.push(...gate.end(attempt, 'success').woken);
      for (const ticket of woken) running.push(gate.start({ retry: true, ticket }));
      expect(gate.now - began).toBeLessThan(1_000);
    }
  },
);

describe('never silent: while calls wait and nothing has started', () => {
  it('for three mean gaps between calls, one starts without a token', () => {
    const gate = new AdaptiveGate().warmUp({ calls: 100, gapMs: 400 });
    gate.adaptive.pace.tokens = 0;
    const tickets = [gate.wait({ failed: {} }), gate.wait({ failed: { timedOut: true } })];
    const { gapMs, lastSentAt } = gate.adaptive.pace;
    // The costly one waits a little longer: a process that has made a hundred calls knows its pace.
    expect(gate.pass(8_000).map(({ ticket, at }) => [ticket, (at - lastSentAt) / gapMs])).toEqual([
      [tickets[0], expect.closeTo(3)],
      [tickets[1], expect.closeTo(3 + 3 * 1.12)],
    ]);
    expect(gate.adaptive.pace.tokens).toBe(0);
  });

  it('for a second, however many calls the process makes', () => {
    const gate = new AdaptiveGate().warmUp({ calls: 300, gapMs: 1, durationMs: 10 });
    gate.adaptive.pace.tokens = 0;
    const ticket = gate.wait({ failed: {} });
    const { lastSentAt } = gate.adaptive.pace;
    expect(gate.pass(1_100)).toEqual([{ ticket, at: lastSentAt + 1_000 }]);
  });

  it('for six mean gaps while the tool is slow', () => {
    const gate = new AdaptiveGate().warmUp({ calls: 100, gapMs: 1_000, durationMs: 10 });
    for (let nth = 0; nth < 20; nth += 1) gate.end(gate.start(), 'success', { durationMs: 100 });
    const ticket = gate.wait({ failed: {} });
    const { gapMs, lastSentAt } = gate.adaptive.pace;
    expect(gapMs).toBeGreaterThan(500);
    expect(gate.pass(10_000)).toEqual([{ ticket, at: lastSentAt + 6 * gapMs }]);
  });

  it('behind the limit that time-outs have set, one starts above it', () => {
    const gate = new AdaptiveGate().warmUp({ calls: 300, gapMs: 10 }).overload();
    const running = Array.from({ length: 4 }, () => gate.start());
    gate.now += 900;
    for (const attempt of running.slice(0, 3)) gate.end(attempt, 'transient', { timedOut: true });
    const tickets = [gate.wait(), gate.wait()];
    expect(gate.pass(2_200).map(({ ticket }) => ticket)).toEqual(tickets.toReversed());
  });

  it('one of those that wait for a slot or a rate limit starts in the order in which they came', () => {
    const gate = new AdaptiveGate({ concurrency: { limit: 1, queue: Infinity } });
    let running = gate.start();
    const tickets = Array.from({ length: 5 }, () => ((gate.now += 10), gate.wait()));
    for (const ticket of tickets) {
      gate.now += 1_500;
      expect(gate.end(running, 'success').woken).toEqual([ticket]);
      running = gate.start({ ticket });
    }
  });

  it("but not above the user's own limits", () => {
    const gate = new AdaptiveGate({ concurrency: { limit: 1, queue: Infinity } }).warmUp();
    const running = gate.start();
    const ticket = gate.wait();
    expect(gate.pass(29_000)).toEqual([]);
    expect(gate.end(running, 'success').woken).toEqual([ticket]);
    const limited = new AdaptiveGate({ rateLimit: { limit: 1, windowMs: 20_000 } });
    limited.start();
    const began = limited.now;
    const waiting = limited.wait();
    expect(limited.pass(29_000)).toEqual([{ ticket: waiting, at: began + 20_000 }]);
  });

  it('a lone agent, whose successes pay for nothing, is served', () => {
    const gate = new AdaptiveGate();
    gate.adaptive.pace.tokens = 0;
    const call = {};
    gate.run('transient', 10, {}, call);
    const ticket = gate.wait({ failed: {}, waitMs: 120_000 });
    const { lastSentAt } = gate.adaptive.pace;
    // One call has been made: three gaps of five seconds.
    expect(gate.pass(120_000)).toEqual([{ ticket, at: lastSentAt + 15_000 }]);
  });
});

describe('the last chance of a call that was never sent', () => {
  it('comes after half of its time also when the tool is back and nothing has paid for it', () => {
    const gate = new AdaptiveGate().warmUp({ gapMs: 50, durationMs: 10 }).keepDown();
    const bornAt = gate.now;
    const ticket = gate.wait({ waitMs: 10_000 });
    gate.pass(2_000);
    gate.bringBack();
    for (let nth = 0; nth < 40; nth += 1) gate.end(gate.start(), 'permanent');
    const woken = gate.pass(8_000);
    expect(woken[0]?.ticket).toBe(ticket);
    expect(woken[0]!.at - bornAt).toBeLessThanOrEqual(5_000);
  });
});
