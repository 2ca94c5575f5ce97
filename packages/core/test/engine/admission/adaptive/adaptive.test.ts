import { describe, expect, it } from 'vitest';
import { withSettings } from '../../../../src/engine/admission/gate-control.ts';
import { markOrphaned, release, returnPermit } from '../../../../src/engine/admission/gate.ts';
import type { OutcomeKind } from '../../../../src/engine/admission/types.ts';
import { AdaptiveGate, adaptiveBreaker } from './adaptive-gate.ts';

const closing = [{ to: 'closed', reason: 'probe_succeeded' }];

/** The probe of a tool that is down. */
function probe(gate: AdaptiveGate): ReturnType<AdaptiveGate['start']> {
  gate.now = Math.max(gate.now, gate.gate.breaker.openUntil);
  const attempt = gate.start();
  expect(attempt.permit.probe).toBe(true);
  return attempt;
}

describe('the circuit opens', () => {
  it('when five different calls have failed in a row and none has succeeded for a second', () => {
    const gate = new AdaptiveGate().warmUp();
    gate.run('success', 0);
    for (let nth = 0; nth < 8; nth += 1) expect(gate.run('transient', 100).transitions).toEqual([]);
    gate.now += 99;
    expect(gate.run('transient', 100).transitions).toEqual([]);
    expect(gate.run('transient', 1)).toMatchObject({ transitions: [{ to: 'open', reason: 'failure_threshold', failureCount: 5 }] });
  });

  it('for the first calls of a process without waiting for a second', () => {
    const gate = new AdaptiveGate();
    for (let nth = 0; nth < 4; nth += 1) expect(gate.run('transient', 1).transitions).toEqual([]);
    expect(gate.run('transient', 1).transitions).toMatchObject([{ to: 'open' }]);
  });

  it('never by one call, however often it fails: one caller does not take a tool from the others', () => {
    const gate = new AdaptiveGate().warmUp();
    const call = {};
    for (let nth = 0; nth < 200; nth += 1) {
      gate.run('transient', 10, {}, call);
      gate.now += 1_000;
    }
    for (let nth = 0; nth < 3; nth += 1) gate.run('transient', 10);
    expect(gate.health).toMatchObject({ circuit: 'closed', failureCount: 4 });
  });

  it.each(['success', 'permanent'] as const)('not where one of five is a %s', (outcome) => {
    const gate = new AdaptiveGate().warmUp();
    gate.now += 2_000;
    for (let nth = 0; nth < 40; nth += 1) {
      gate.run(nth % 5 === 4 ? outcome : 'transient', 300);
    }
    expect(gate.health.circuit).toBe('closed');
  });

  it('not for outcomes that show nothing, as cancellations, and these do not end a run', () => {
    const gate = new AdaptiveGate();
    for (let nth = 0; nth < 20; nth += 1) gate.run('neutral');
    for (const outcome of ['transient', 'neutral', 'transient', 'transient', 'transient', 'neutral'] as const) gate.run(outcome);
    expect(gate.health).toMatchObject({ circuit: 'closed', failureCount: 4 });
    expect(gate.run('transient').transitions).toMatchObject([{ to: 'open' }]);
  });

  it('not for failures of attempts that started before one that has succeeded', () => {
    const gate = new AdaptiveGate().warmUp();
    const hung = Array.from({ length: 20 }, () => gate.start());
    gate.now += 100;
    gate.run('success');
    gate.now += 60_000;
    for (const attempt of hung) expect(gate.end(attempt, 'transient', { timedOut: true }).transitions).toEqual([]);
    expect(gate.health).toMatchObject({ circuit: 'closed', failureCount: 0 });
    expect(gate.health.limit).toBeUndefined();
  });

  it('without a quiet second when the server has asked all five to wait', () => {
    const gate = new AdaptiveGate().warmUp({ calls: 50, gapMs: 10 });
    for (let nth = 0; nth < 4; nth += 1) gate.run('transient', 1, { retryAfterMs: 400 });
    expect(gate.run('transient', 1, { retryAfterMs: 400 }).transitions).toMatchObject([{ to: 'open' }]);
  });

  it('not for one hint, nor for one in many answers: it holds only its own call', () => {
    const gate = new AdaptiveGate().warmUp();
    for (let nth = 0; nth < 200; nth += 1) {
      gate.run(nth % 20 === 0 ? 'transient' : 'success', 10, nth % 20 === 0 ? { retryAfterMs: 120_000 } : {});
      expect(gate.ask().kind).toBe('permit');
    }
    expect(gate.health.retryAfterMs).toBeUndefined();
  });
});

describe('the open period', () => {
  const openFor = (gate: AdaptiveGate): number => gate.gate.breaker.openUntil - gate.now;

  it.each([
    { what: 'a second for a busy process', gapMs: 10, hintMs: 0, leastMs: 750, mostMs: 1_250 },
    { what: 'one mean gap between calls', gapMs: 5_000, hintMs: 0, leastMs: 2_500, mostMs: 6_250 },
    { what: 'ten seconds for a process that hardly calls', gapMs: 600_000, hintMs: 0, leastMs: 5_000, mostMs: 12_500 },
    { what: 'as long as the server asked', gapMs: 10, hintMs: 6_000, leastMs: 6_000, mostMs: 7_500 },
    { what: 'ten seconds where the server asked for an hour', gapMs: 10, hintMs: 3_600_000, leastMs: 10_000, mostMs: 12_500 },
  ])('is about $what', ({ gapMs, hintMs, leastMs, mostMs }) => {
    const gate = new AdaptiveGate().warmUp({ calls: 60, gapMs }).breakDown({ retryAfterMs: hintMs }, gapMs);
    for (let nth = 0; nth < 20; nth += 1) {
      expect(openFor(gate)).toBeGreaterThanOrEqual(leastMs);
      expect(openFor(gate)).toBeLessThanOrEqual(mostMs);
      gate.end(probe(gate), 'transient', { retryAfterMs: hintMs });
    }
  });

  it('begins when the probe is back, and does not grow from one to the next', () => {
    const gate = new AdaptiveGate().warmUp().breakDown();
    const lengths = Array.from({ length: 50 }, () => {
      const attempt = probe(gate);
      gate.now += 300;
      const [transition] = gate.end(attempt, 'transient').transitions;
      expect(transition).toMatchObject({ to: 'open', reason: 'probe_failed' });
      return openFor(gate);
    });
    expect(Math.max(...lengths)).toBeLessThanOrEqual(1_250);
  });

  it('is not longer for a failure that is no probe', () => {
    const gate = new AdaptiveGate().warmUp();
    gate.now += 2_000;
    const late = gate.start();
    gate.breakDown();
    const { openUntil } = gate.gate.breaker;
    gate.end(late, 'transient', { retryAfterMs: 9_000 });
    expect(gate.gate.breaker.openUntil).toBe(openUntil);
    expect(gate.health.circuit).toBe('open');
  });
});

describe('any sign of life brings the tool back', () => {
  it.each([
    ['a probe that succeeds', 'success'],
    ['a probe that is answered with a permanent error', 'permanent'],
  ] as const)('%s', (_what, outcome) => {
    const gate = new AdaptiveGate().warmUp().breakDown();
    expect(gate.end(probe(gate), outcome).transitions).toMatchObject(closing);
    expect(gate.health).toMatchObject({ circuit: 'closed', failureCount: 0 });
    expect(gate.ask().kind).toBe('permit');
  });

  it.each(['success', 'permanent'] as const)('a %s of an attempt from before the outage', (outcome) => {
    const gate = new AdaptiveGate().warmUp();
    gate.now += 2_000;
    const slow = gate.start();
    gate.breakDown();
    expect(gate.end(slow, outcome).transitions).toMatchObject(closing);
  });

  it('a probe whose place another one has taken', () => {
    const gate = new AdaptiveGate().warmUp().breakDown();
    const slow = probe(gate);
    gate.now += 5_000;
    const next = gate.start();
    expect(next.permit.probe).toBe(true);
    expect(gate.end(slow, 'success').transitions.at(-1)).toMatchObject(closing[0]!);
    expect(gate.end(next, 'transient').transitions).toEqual([]);
    expect(gate.health.circuit).toBe('closed');
  });

  it('but not what shows nothing: the probe goes back, and the next one starts at once', () => {
    const gate = new AdaptiveGate().warmUp().breakDown();
    for (const end of [
      (attempt: ReturnType<typeof probe>): unknown => gate.end(attempt, 'neutral'),
      ({ permit }: ReturnType<typeof probe>): unknown => returnPermit(gate.gate, permit, gate.now),
      ({ permit }: ReturnType<typeof probe>): unknown => release(gate.gate, permit, gate.now),
    ]) {
      end(probe(gate));
      expect(gate.health.circuit).toBe('half_open');
    }
    expect(gate.start().permit.probe).toBe(true);
  });

  it('the run begins again: it takes five failures to open', () => {
    const gate = new AdaptiveGate().warmUp().breakDown();
    gate.end(probe(gate), 'permanent');
    gate.now += 5_000;
    for (let nth = 0; nth < 4; nth += 1) expect(gate.run('transient', 1).transitions).toEqual([]);
    expect(gate.run('transient', 1).transitions).toMatchObject([{ to: 'open' }]);
  });

  it('slowness of before is over, and the rate is that of before', () => {
    const gate = new AdaptiveGate().warmUp();
    for (let nth = 0; nth < 20; nth += 1) gate.run('success', 1_000);
    const { rate } = gate.adaptive.pace;
    gate.breakDown();
    gate.now += 600_000;
    gate.end(probe(gate), 'success');
    expect(gate.adaptive.durations.recentMs).toBe(gate.adaptive.durations.usualMs);
    expect(gate.adaptive.pace.rate).toBeCloseTo(rate, 0);
  });
});

describe('a probe that hangs', () => {
  const outages = [
    { what: 'half an open period', durationMs: 10, leastMs: 375, mostMs: 625 },
    { what: 'twice the usual duration', durationMs: 3_000, leastMs: 6_000, mostMs: 6_000 },
  ];

  it.each(outages)('holds the next one back for $what and an open period, not until its time limit', ({ durationMs, leastMs, mostMs }) => {
    const gate = new AdaptiveGate().warmUp({ gapMs: durationMs, durationMs }).breakDown();
    gate.now = gate.gate.breaker.openUntil;
    gate.start({ timeLimitMs: 600_000 });
    const began = gate.now;
    const { leaseUntil, openMs } = gate.gate.breaker;
    expect(leaseUntil - began).toBeGreaterThanOrEqual(leastMs);
    expect(leaseUntil - began).toBeLessThanOrEqual(mostMs);
    gate.now = leaseUntil - 0.001;
    expect(gate.ask({ waitMs: false })).toMatchObject({ kind: 'refused', refusal: { source: 'probe_in_progress' } });
    gate.now = leaseUntil + openMs - 0.001;
    expect(gate.ask({ waitMs: false })).toMatchObject({
      kind: 'refused',
      refusal: { source: 'circuit' },
      transition: { reason: 'probe_lease_expired' },
    });
    gate.now = leaseUntil + openMs;
    expect(gate.start().permit.probe).toBe(true);
  });

  it('is counted as failed once: its late failure changes nothing', () => {
    const gate = new AdaptiveGate().warmUp().breakDown();
    const hung = probe(gate);
    gate.now += 5_000;
    const next = gate.start();
    const { openUntil, probeNumber } = gate.gate.breaker;
    expect(gate.end(hung, 'transient', { timedOut: true }).transitions).toEqual([]);
    expect(gate.gate.breaker).toMatchObject({ openUntil, probeNumber, state: 'half_open' });
    expect(gate.end(next, 'success').transitions).toMatchObject(closing);
  });
});

describe('time-outs', () => {
  /** So many calls run, and all time out at once. */
  function timeOutAll(gate: AdaptiveGate, many: number, afterMs = 5_000): void {
    const running = Array.from({ length: many }, () => gate.start());
    gate.now += afterMs;
    for (const attempt of running) gate.end(attempt, 'transient', { timedOut: true });
  }

  it('of an overloaded tool that still answers set a limit, and first attempts wait for it', () => {
    const gate = new AdaptiveGate().warmUp();
    const running = Array.from({ length: 20 }, () => gate.start());
    gate.now += 4_500;
    gate.run('success', 0);
    gate.now += 500;
    const late = Array.from({ length: 20 }, () => gate.start());
    for (const attempt of running) gate.end(attempt, 'transient', { timedOut: true });
    // These started before the success.
    expect(gate.health.limit).toBeUndefined();
    gate.now += 500;
    for (const attempt of late.slice(0, 3)) gate.end(attempt, 'transient', { timedOut: true, durationMs: 500 });
    expect(gate.health).toMatchObject({ circuit: 'closed', limit: 9 });
    const ticket = gate.wait();
    for (const attempt of late.slice(3, 11)) expect(gate.end(attempt, 'success').woken).toEqual([]);
    expect(gate.end(late[11]!, 'success').woken).toEqual([ticket]);
  });

  it('counts work that has not ended after its time-out as no load', () => {
    const gate = new AdaptiveGate().warmUp();
    const running = Array.from({ length: 8 }, () => gate.start());
    gate.now += 5_000;
    for (const attempt of running.slice(0, 3)) gate.end(attempt, 'transient', { timedOut: true });
    expect(gate.health.limit).toBe(3);
    for (const { permit } of running.slice(3)) markOrphaned(gate.gate, permit);
    for (let nth = 0; nth < 3; nth += 1) gate.start();
    expect(gate.ask().kind).toBe('wait');
  });

  it('that bring the tool down let it begin again with two calls', () => {
    const gate = new AdaptiveGate().warmUp();
    timeOutAll(gate, 20);
    expect(gate.health.circuit).toBe('open');
    gate.end(probe(gate), 'success');
    expect(gate.health).toMatchObject({ circuit: 'closed', limit: 2 });
    const running = [gate.start(), gate.start()];
    expect(gate.ask()).toMatchObject({ kind: 'wait', limit: 2 });
    gate.now += 10;
    expect(gate.end(running[0]!, 'success').woken).toHaveLength(1);
    expect(gate.health.limit).toBe(3);
  });

  it('of a probe count too: the cause of an outage is that of its latest probe', () => {
    const gate = new AdaptiveGate().warmUp().breakDown();
    gate.end(probe(gate), 'transient', { timedOut: true });
    gate.end(probe(gate), 'success');
    expect(gate.health.limit).toBe(2);
    gate.adaptive.limit.limit = Infinity;
    gate.now += 5_000;
    timeOutAll(gate, 20);
    gate.end(probe(gate), 'transient');
    gate.adaptive.limit.limit = Infinity;
    gate.end(probe(gate), 'success');
    expect(gate.health.limit).toBeUndefined();
  });

  it('that ended no attempt, as the deadline of a turn, set no limit', () => {
    const gate = new AdaptiveGate().warmUp();
    for (let nth = 0; nth < 50; nth += 1) gate.run('neutral', 5_000);
    expect(gate.health).toMatchObject({ circuit: 'closed' });
    expect(gate.health.limit).toBeUndefined();
  });

  it('a tool that never times out has no limit, whatever fails', () => {
    const gate = new AdaptiveGate().warmUp();
    const running = Array.from({ length: 50 }, () => gate.start());
    gate.now += 10_000;
    for (const [nth, attempt] of running.entries()) gate.end(attempt, nth % 3 === 0 ? 'success' : 'transient');
    expect(gate.health.limit).toBeUndefined();
  });
});

describe('what people are shown', () => {
  it('the usual duration, the tokens, and the recent share of failures', () => {
    const gate = new AdaptiveGate();
    expect(gate.health).toMatchObject({ failureShare: 0, retryBudgetLeft: 3 });
    expect(gate.health.latencyMs).toBeUndefined();
    gate.warmUp({ durationMs: 25, gapMs: 50 });
    expect(gate.health).toMatchObject({ latencyMs: 25, retryBudgetLeft: 10 });
  });

  it.each([
    ['FS', 0.5],
    ['FSS', 1 / 3],
    ['FFSSSSSSSS', 0.2],
    ['FP', 0.5],
    ['FNNNS', 0.5],
  ])('the share of failures of a tool that answers %s again and again is about %f', (answers, share) => {
    const gate = new AdaptiveGate({ breaker: false });
    const outcomes: Readonly<Record<string, OutcomeKind>> = { F: 'transient', S: 'success', P: 'permanent', N: 'neutral' };
    for (let nth = 0; nth < 300; nth += 1) for (const answer of answers) gate.run(outcomes[answer]!, 1);
    expect(gate.health.failureShare).toBeGreaterThan(share - 0.06);
    expect(gate.health.failureShare).toBeLessThan(share + 0.06);
  });
});

describe('a gate without a circuit', () => {
  it('never holds calls for failures; retries are paid for, and time-outs set a limit all the same', () => {
    const gate = new AdaptiveGate({ breaker: false });
    for (let nth = 0; nth < 100; nth += 1) {
      gate.run('transient', 1);
      gate.now += 100;
    }
    expect(gate.health).toMatchObject({ circuit: 'closed', mode: 'disabled', queued: 0 });
    for (let nth = 0; nth < 3; nth += 1) gate.start({ failed: {} });
    expect(gate.ask({ failed: {} })).toMatchObject({ kind: 'wait', wait: 'retry_budget' });
    const running = Array.from({ length: 9 }, () => gate.start());
    gate.now += 5_000;
    for (const attempt of running.slice(0, 3)) gate.end(attempt, 'transient', { timedOut: true });
    expect(gate.health.limit).toBe(5);
  });

  it('opens when an operator forces it, and its calls are refused', () => {
    const gate = new AdaptiveGate({ breaker: false });
    gate.order('forced_open');
    expect(gate.refusal()).toMatchObject({ code: 'CIRCUIT_OPEN', source: 'forced_open' });
    gate.order('auto');
    expect(gate.ask().kind).toBe('permit');
  });
});

it('a new threshold applies to the calls that have failed already', () => {
  const gate = new AdaptiveGate();
  gate.run('transient');
  gate.run('transient');
  withSettings(gate.gate, { breaker: { ...adaptiveBreaker, failureThreshold: 3 }, waitForRecovery: true }, gate.now);
  expect(gate.run('transient').transitions).toMatchObject([{ to: 'open', failureCount: 3 }]);
});
