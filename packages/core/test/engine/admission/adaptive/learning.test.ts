/** What a gate learns from outcomes beside the state of its circuit. */
import { describe, expect, it } from 'vitest';
import { withSettings } from '../../../../src/engine/admission/gate-control.ts';
import { markOrphaned } from '../../../../src/engine/admission/gate.ts';
import type { OutcomeKind } from '../../../../src/engine/admission/types.ts';
import { AdaptiveGate, adaptiveBreaker } from './adaptive-gate.ts';

describe('time-outs', () => {
  /** So many calls run, and all time out at once. */
  function timeOutAll(gate: AdaptiveGate, many: number, afterMs = 5_000): void {
    const running = Array.from({ length: many }, () => gate.start());
    gate.now += afterMs;
    for (const attempt of running) gate.end(attempt, 'transient', { timedOut: true });
  }

  it('of an overloaded tool that still answers set a limit, and first attempts wait for it', () => {
    const gate = new AdaptiveGate().warmUp().overload();
    const running = Array.from({ length: 20 }, () => gate.start());
    gate.now += 4_500;
    gate.run('success', 400);
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
    const gate = new AdaptiveGate().warmUp().overload();
    const running = Array.from({ length: 8 }, () => gate.start());
    gate.now += 5_000;
    for (const attempt of running.slice(0, 3)) gate.end(attempt, 'transient', { timedOut: true });
    expect(gate.health.limit).toBe(3);
    for (const { permit } of running.slice(3)) markOrphaned(gate.gate, permit);
    for (let nth = 0; nth < 3; nth += 1) gate.start();
    expect(gate.ask().kind).toBe('wait');
  });

  it('beside successes that take the usual time set no limit: the requests of one caller may hang', () => {
    const gate = new AdaptiveGate().warmUp();
    for (let nth = 0; nth < 40; nth += 1) {
      const hanging = gate.start();
      gate.run('success');
      gate.now += 1_000;
      gate.end(hanging, 'transient', { timedOut: true });
      expect(gate.ask().kind).toBe('permit');
    }
    expect(gate.health).toMatchObject({ circuit: 'closed' });
    expect(gate.health.limit).toBeUndefined();
  });

  it('that bring the tool down let it begin again with two calls', () => {
    const gate = new AdaptiveGate().warmUp();
    timeOutAll(gate, 20);
    expect(gate.health.circuit).toBe('open');
    gate.end(gate.probe(), 'success');
    expect(gate.health).toMatchObject({ circuit: 'closed', limit: 2 });
    const running = [gate.start(), gate.start()];
    expect(gate.ask()).toMatchObject({ kind: 'wait', limit: 2 });
    gate.now += 10;
    expect(gate.end(running[0]!, 'success').woken).toHaveLength(1);
    expect(gate.health.limit).toBe(3);
  });

  it('after it, of a call that started before others which succeed in the usual time, end the limit: the requests of one caller hang', () => {
    const gate = new AdaptiveGate().warmUp();
    timeOutAll(gate, 20);
    gate.end(gate.probe(), 'success');
    const hanging = gate.start();
    gate.now += 990;
    gate.run('success');
    expect(gate.health.limit).toBeDefined();
    gate.end(hanging, 'transient', { timedOut: true });
    expect(gate.health.limit).toBeUndefined();
  });

  it.each([
    ['that started before the tool was back', (): void => undefined, 'before'],
    ['beside slow successes', (gate: AdaptiveGate): unknown => gate.overload(), 'after'],
  ] as const)('%s keep it', (_which, change, started) => {
    const gate = new AdaptiveGate().warmUp();
    const early = started === 'before' ? gate.start() : undefined;
    timeOutAll(gate, 20);
    gate.end(gate.probe(), 'success');
    const hanging = early ?? gate.start();
    gate.now += 990;
    gate.run('success');
    change(gate);
    gate.end(hanging, 'transient', { timedOut: true });
    expect(gate.health.limit).toBeDefined();
  });

  it('of a tool that has never answered do not make it slow for ever: its first answers are what is usual', () => {
    const gate = new AdaptiveGate();
    timeOutAll(gate, 20);
    const waiting = [gate.wait(), gate.wait(), gate.wait()];
    gate.end(gate.probe(), 'success', { durationMs: 100 });
    expect(gate.health).toMatchObject({ circuit: 'closed', limit: 2 });
    expect(gate.adaptive.durations.usualMs).toBe(100);
    expect(gate.run('success', 100).woken.length).toBeGreaterThan(0);
    expect(waiting).toHaveLength(3);
  });

  it('of a probe count too: the cause of an outage is that of its latest probe', () => {
    const gate = new AdaptiveGate().warmUp().breakDown();
    gate.end(gate.probe(), 'transient', { timedOut: true });
    expect(gate.adaptive.failed.byTimeouts).toBe(true);
    gate.end(gate.probe(), 'transient');
    expect(gate.adaptive.failed.byTimeouts).toBe(false);
  });

  it('of the deadline of a turn: an attempt that it cut off makes the tool slow, so that no retry is added', () => {
    const gate = new AdaptiveGate().warmUp({ durationMs: 100 });
    gate.adaptive.pace.tokens = 10;
    for (let nth = 0; nth < 2; nth += 1) gate.run('neutral', 5_000, { timedOut: true });
    expect(gate.ask({ failed: {} }).kind).toBe('wait');
    expect(gate.ask().kind).toBe('permit');
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
  it('the usual duration, the quick retries that its tokens allow, and the recent share of failures', () => {
    const gate = new AdaptiveGate();
    expect(gate.health).toMatchObject({ failureShare: 0, retryBudgetLeft: 2 });
    expect(gate.health.latencyMs).toBeUndefined();
    gate.warmUp({ calls: 300, durationMs: 25, gapMs: 50 });
    expect(gate.health.latencyMs).toBeCloseTo(25, 6);
    expect(gate.health.retryBudgetLeft).toBe(6);
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
    for (let nth = 0; nth < 2; nth += 1) gate.start({ failed: {} });
    expect(gate.ask({ failed: {} })).toMatchObject({ kind: 'wait', wait: 'retry_budget' });
    gate.run('success', 100);
    gate.overload();
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
