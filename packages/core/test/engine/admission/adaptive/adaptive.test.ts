import { describe, expect, it } from 'vitest';
import { release, returnPermit } from '../../../../src/engine/admission/gate.ts';
import { AdaptiveGate, type Attempt } from './adaptive-gate.ts';

const closing = [{ to: 'closed', reason: 'probe_succeeded' }];

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

  it.each([1_500, 5_000, 30_000])(
    'not for one caller whose requests fail every 50 ms, while those of the others succeed every %i ms',
    (gapMs) => {
      const gate = new AdaptiveGate().warmUp({ calls: 20, gapMs });
      for (let nth = 1; nth <= 40; nth += 1) {
        for (let failed = 1; failed < gapMs / 50; failed += 1) {
          gate.run('transient', 5, nth % 2 === 0 ? { retryAfterMs: 30_000 } : {});
          gate.now += 45;
        }
        expect(gate.health.circuit).toBe('closed');
        gate.run('success');
        gate.now += 40;
      }
    },
  );

  it('for an outage of which one caller notices more than the others', () => {
    const gate = new AdaptiveGate().warmUp({ calls: 20, gapMs: 1_500 });
    for (let nth = 0; nth < 200 && gate.health.circuit === 'closed'; nth += 1) {
      gate.run('transient', 5);
      gate.now += 45;
    }
    expect(gate.health).toMatchObject({ circuit: 'open', failureCount: 5 });
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
    for (let nth = 0; nth < 4; nth += 1) gate.run('transient', 10, { retryAfterMs: 400 });
    expect(gate.run('transient', 10, { retryAfterMs: 400 }).transitions).toMatchObject([{ to: 'open' }]);
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
    { what: 'half a second for a busy process', gapMs: 10, leastMs: 375, mostMs: 625 },
    { what: 'one mean gap between calls', gapMs: 5_000, leastMs: 2_500, mostMs: 6_250 },
    { what: 'ten seconds for a process that hardly calls', gapMs: 600_000, leastMs: 5_000, mostMs: 12_500 },
  ])('is about $what', ({ gapMs, leastMs, mostMs }) => {
    const gate = new AdaptiveGate().warmUp({ calls: 60, gapMs }).breakDown({}, gapMs);
    for (let nth = 0; nth < 20; nth += 1) {
      expect(openFor(gate)).toBeGreaterThanOrEqual(leastMs);
      expect(openFor(gate)).toBeLessThanOrEqual(mostMs);
      gate.end(gate.probe(), 'transient');
    }
  });

  it.each([
    ['up to what it asked for', 6_000, [500, 1_000, 2_000, 4_000, 6_000, 6_000, 6_000]],
    ['up to ten seconds', 3_600_000, [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]],
  ])('doubles while the server repeats its hint, %s', (_what, retryAfterMs, lengths) => {
    const gate = new AdaptiveGate().warmUp({ calls: 60, gapMs: 10 }).breakDown({ retryAfterMs });
    for (const aboutMs of lengths) {
      expect(openFor(gate)).toBeGreaterThanOrEqual(aboutMs);
      expect(openFor(gate)).toBeLessThanOrEqual(aboutMs * 1.25);
      gate.end(gate.probe(), 'transient', { retryAfterMs });
    }
    gate.bringBack();
    gate.breakDown({ retryAfterMs });
    expect(openFor(gate)).toBeLessThanOrEqual(625);
  });

  it.each([10, 400])('is ten seconds in the end while the server repeats its hint, also when its answers take %i ms', (answerMs) => {
    const gate = new AdaptiveGate().warmUp({ calls: 60, gapMs: 10 }).breakDown({ retryAfterMs: 60_000 });
    let probes = 0;
    for (const end = gate.now + 60_000; gate.now < end; probes += 1) {
      const probe = gate.probe();
      gate.now += answerMs;
      gate.end(probe, 'transient', { retryAfterMs: 60_000 });
    }
    expect(probes).toBeGreaterThanOrEqual(8);
    expect(probes).toBeLessThanOrEqual(11);
  });

  it('begins when the probe is back, and does not grow from one to the next', () => {
    const gate = new AdaptiveGate().warmUp().breakDown();
    const lengths = Array.from({ length: 50 }, () => {
      const attempt = gate.probe();
      gate.now += 200;
      const [transition] = gate.end(attempt, 'transient').transitions;
      expect(transition).toMatchObject({ to: 'open', reason: 'probe_failed' });
      return openFor(gate);
    });
    expect(Math.max(...lengths)).toBeLessThanOrEqual(625);
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
    expect(gate.end(gate.probe(), outcome).transitions).toMatchObject(closing);
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
    const slow = gate.probe();
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
      (attempt: Attempt): unknown => gate.end(attempt, 'neutral'),
      ({ permit }: Attempt): unknown => returnPermit(gate.gate, permit, gate.now),
      ({ permit }: Attempt): unknown => release(gate.gate, permit, gate.now),
    ]) {
      end(gate.probe());
      expect(gate.health.circuit).toBe('half_open');
    }
    expect(gate.start().permit.probe).toBe(true);
  });

  it('the run begins again: it takes five failures to open', () => {
    const gate = new AdaptiveGate().warmUp().breakDown();
    gate.end(gate.probe(), 'permanent');
    gate.now += 5_000;
    for (let nth = 0; nth < 4; nth += 1) expect(gate.run('transient', 1).transitions).toEqual([]);
    expect(gate.run('transient', 1).transitions).toMatchObject([{ to: 'open' }]);
  });

  it('slowness of before is over, and the mean gap is that of before', () => {
    const gate = new AdaptiveGate().warmUp();
    for (let nth = 0; nth < 20; nth += 1) gate.run('success', 1_000);
    gate.breakDown({}, 1_000);
    const { gapMs } = gate.adaptive.pace;
    gate.now += 600_000;
    gate.end(gate.probe(), 'success');
    expect(gate.adaptive.durations.recentMs).toBe(gate.adaptive.durations.usualMs);
    expect(gate.adaptive.pace.gapMs).toBe(gapMs);
  });
});

describe('a probe that hangs', () => {
  const outages = [
    { what: 'half an open period', durationMs: 10, leastMs: 187.5, mostMs: 312.5 },
    { what: 'twice the usual duration', durationMs: 3_000, leastMs: 6_000, mostMs: 6_000 },
  ];

  it.each(outages)('holds the next one back for $what and an open period, not until its time limit', ({ durationMs, leastMs, mostMs }) => {
    const gate = new AdaptiveGate().warmUp({ gapMs: durationMs, durationMs }).breakDown({}, durationMs);
    gate.now = gate.gate.breaker.openUntil;
    gate.start({ timeLimitMs: 600_000 });
    const began = gate.now;
    const { leaseUntil, openMs } = gate.gate.breaker;
    expect(leaseUntil - began).toBeGreaterThanOrEqual(leastMs);
    expect(leaseUntil - began).toBeLessThanOrEqual(mostMs);
    gate.now = leaseUntil - 0.001;
    expect(gate.ask({ waitMs: false })).toMatchObject({ kind: 'refused', refusal: { source: 'probe_in_progress' } });
    gate.now = leaseUntil + openMs - 0.001;
    expect(gate.ask({ waitMs: false })).toMatchObject({ kind: 'refused', refusal: { source: 'circuit' } });
    expect(gate.asked).toMatchObject([{ reason: 'probe_lease_expired' }]);
    gate.now = leaseUntil + openMs;
    expect(gate.start().permit.probe).toBe(true);
  });

  it('is counted as failed once: its late failure changes nothing', () => {
    const gate = new AdaptiveGate().warmUp().breakDown();
    const hung = gate.probe();
    gate.now += 5_000;
    const next = gate.start();
    const { openUntil, probeNumber } = gate.gate.breaker;
    expect(gate.end(hung, 'transient', { timedOut: true }).transitions).toEqual([]);
    expect(gate.gate.breaker).toMatchObject({ openUntil, probeNumber, state: 'half_open' });
    expect(gate.end(next, 'success').transitions).toMatchObject(closing);
  });
});
