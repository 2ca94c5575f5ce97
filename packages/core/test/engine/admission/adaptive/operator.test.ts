/** Changes that do not come from a call: an operator, new settings, a snapshot. */
import { describe, expect, it } from 'vitest';
import { holdUntil, restore, save, withSettings } from '../../../../src/engine/admission/gate-control.ts';
import type { GateSettings } from '../../../../src/engine/admission/types.ts';
import { AdaptiveGate, adaptiveBreaker } from './adaptive-gate.ts';

const waiting: GateSettings = { breaker: adaptiveBreaker, waitForRecovery: true };
const EPOCH = 1_700_000_000_000;

describe('a circuit that an operator forces open', () => {
  it('refuses all calls, and turns away those that wait: nothing waits for a person', () => {
    const gate = new AdaptiveGate().warmUp().keepDown();
    const tickets = [gate.wait(), gate.wait({ failed: {} }), gate.wait({ waitMs: 5_000 })];
    expect(gate.order('forced_open').woken).toEqual(tickets);
    for (const ticket of tickets) expect(gate.refusal({ ticket })).toEqual({ code: 'CIRCUIT_OPEN', source: 'forced_open' });
    expect(gate.refusal()).toEqual({ code: 'CIRCUIT_OPEN', source: 'forced_open' });
    expect(gate.wakeAt).toBeUndefined();
  });

  it('is not closed by any outcome', () => {
    const gate = new AdaptiveGate().warmUp();
    const running = [gate.start(), gate.start()];
    gate.order('forced_open');
    gate.end(running[0]!, 'success');
    gate.end(running[1]!, 'permanent');
    expect(gate.health).toMatchObject({ circuit: 'open', mode: 'forced_open' });
    expect(gate.order('auto').transitions).toMatchObject([{ from: 'open', to: 'closed', reason: 'manual' }]);
    expect(gate.ask().kind).toBe('permit');
  });

  it('is as far down as before when it is left to itself again', () => {
    const gate = new AdaptiveGate().warmUp().breakDown();
    gate.order('forced_open');
    gate.order('auto');
    const ticket = gate.wait();
    expect(gate.pass(2_000)).toMatchObject([{ ticket }]);
    expect(gate.start({ ticket }).permit.probe).toBe(true);
  });
});

describe('a circuit that an operator disables', () => {
  it('lets new calls start at once, and calls that wait leave as successes pay for them', () => {
    const gate = new AdaptiveGate().warmUp({ calls: 300, gapMs: 100 }).keepDown();
    const tickets = [gate.wait(), gate.wait(), gate.wait()];
    gate.adaptive.pace.tokens = 1;
    const woken = [...gate.order('disabled').woken];
    expect(woken).toHaveLength(1);
    expect(gate.ask().kind).toBe('permit');
    for (let nth = 0; nth < 2; nth += 1) woken.push(...gate.run('success').woken);
    expect(new Set(woken)).toEqual(new Set(tickets));
  });

  it('opens for nothing', () => {
    const gate = new AdaptiveGate();
    gate.order('disabled');
    for (let nth = 0; nth < 100; nth += 1) gate.run('transient', 100);
    expect(gate.health).toMatchObject({ circuit: 'closed', mode: 'disabled' });
    expect(gate.ask().kind).toBe('permit');
  });
});

describe('a circuit in shadow mode', () => {
  it('opens and closes as it would, and holds no first attempt', () => {
    const gate = new AdaptiveGate().warmUp();
    gate.order('shadow');
    gate.breakDown();
    expect(gate.health).toMatchObject({ circuit: 'open', mode: 'shadow' });
    for (let nth = 0; nth < 20; nth += 1) gate.start();
    gate.now += 5_000;
    const { transitions } = gate.run('success');
    expect(transitions).toMatchObject([{ to: 'closed' }]);
  });

  it('makes no waiting call backlog', () => {
    const gate = new AdaptiveGate({ concurrency: { limit: 1, queue: Infinity } }).warmUp();
    gate.order('shadow');
    const running = gate.start();
    const ticket = gate.wait();
    gate.now += 1_000;
    Object.assign(gate.adaptive.pace, { tokens: 0, lastSentAt: gate.now });
    for (let nth = 0; nth < 5; nth += 1) gate.adaptive.failed.calls.push({ call: {}, at: 0, timedOut: false, askedToWait: false });
    expect(gate.end(running, 'transient')).toMatchObject({ transitions: [{ to: 'open' }], woken: [ticket] });
  });

  it('keeps what successes have paid for when it closes: it has held nothing', () => {
    const gate = new AdaptiveGate().warmUp({ calls: 400 });
    gate.order('shadow');
    gate.breakDown();
    gate.run('success');
    expect(gate.health.circuit).toBe('closed');
    expect(gate.adaptive.pace.tokens).toBe(10);
  });

  it('begins again without a limit after an outage by time-outs, of which no call was kept', () => {
    const gate = new AdaptiveGate();
    gate.order('shadow');
    // One at a time, with answers between: no limit is set while the tool is up.
    gate.breakDown({ timedOut: true });
    gate.adaptive.limit.limit = Infinity;
    gate.now += 5_000;
    expect(gate.run('success').transitions).toMatchObject([{ to: 'closed' }]);
    expect(gate.health.limit).toBeUndefined();
  });
});

describe('a circuit that an operator resets', () => {
  it('is closed, and its backlog leaves as after a probe', () => {
    const gate = new AdaptiveGate().warmUp({ calls: 300, gapMs: 100 }).keepDown();
    const tickets = [gate.wait(), gate.wait(), gate.wait(), gate.wait()];
    gate.pass(2_500);
    const { transitions, woken } = gate.order('reset');
    expect(transitions).toMatchObject([{ from: 'open', to: 'closed', reason: 'manual' }]);
    // Nothing has started for a while.
    expect(woken).toEqual([tickets[0]]);
    expect(gate.run('success').woken).toEqual([tickets[1]]);
  });

  it('keeps what successes have paid for if it was closed', () => {
    const gate = new AdaptiveGate().warmUp({ calls: 400 });
    gate.run('transient');
    gate.order('reset');
    expect(gate.adaptive.pace.tokens).toBe(10);
    expect(gate.adaptive.failed.calls).toEqual([]);
  });

  it('counts failures from 0', () => {
    const gate = new AdaptiveGate().warmUp().breakDown();
    gate.order('reset');
    gate.now += 5_000;
    for (let nth = 0; nth < 4; nth += 1) expect(gate.run('transient').transitions).toEqual([]);
    expect(gate.run('transient').transitions).toMatchObject([{ to: 'open' }]);
  });
});

describe('new settings', () => {
  const settle = (gate: AdaptiveGate, settings: GateSettings): readonly number[] => withSettings(gate.gate, settings, gate.now).woken;

  it('that let calls wait: those that wait for a slot ask again, and are not refused', () => {
    const gate = new AdaptiveGate({ waitForRecovery: false, concurrency: { limit: 1, queue: 5 } });
    const running = gate.start({ waitMs: false });
    const tickets = [gate.wait({ waitMs: false }), gate.wait({ waitMs: false })];
    expect(settle(gate, { ...waiting, concurrency: { limit: 1, queue: 5 } })).toEqual(tickets);
    const again = tickets.map((ticket) => gate.wait({ ticket }));
    expect(gate.end(running, 'success').woken).toEqual([again[0]]);
    const next = gate.start({ ticket: again[0]! });
    expect(gate.end(next, 'success').woken).toEqual([again[1]]);
  });

  it('that let no calls wait: those that wait ask again, and are refused or wait for a slot', () => {
    const down = new AdaptiveGate().warmUp().keepDown();
    const ticket = down.wait();
    expect(settle(down, { breaker: adaptiveBreaker })).toEqual([ticket]);
    expect(down.refusal({ ticket })).toMatchObject({ code: 'CIRCUIT_OPEN' });
    const full = new AdaptiveGate({ concurrency: { limit: 1, queue: 5 } });
    const running = full.start();
    const waits = full.wait();
    expect(settle(full, { breaker: adaptiveBreaker, concurrency: { limit: 1, queue: 5 } })).toEqual([waits]);
    const again = full.wait({ ticket: waits });
    expect(full.end(running, 'success').woken).toEqual([again]);
  });

  it('that change nothing about waiting keep what is learned, and wake no call', () => {
    const gate = new AdaptiveGate().warmUp().keepDown();
    gate.wait();
    const { adaptive } = gate;
    expect(settle(gate, { breaker: { ...adaptiveBreaker, openMs: 2_000 }, waitForRecovery: true })).toEqual([]);
    expect(gate.adaptive).toBe(adaptive);
  });

  it('give free slots to calls that wait', () => {
    const gate = new AdaptiveGate({ concurrency: { limit: 1, queue: Infinity } }).warmUp();
    gate.start();
    const tickets = [gate.wait(), gate.wait(), gate.wait()];
    expect(settle(gate, { ...waiting, concurrency: { limit: 3, queue: Infinity } })).toEqual(tickets.slice(0, 2));
    expect(settle(gate, waiting)).toEqual(tickets.slice(2));
  });

  it('that take the circuit away let the backlog leave', () => {
    const gate = new AdaptiveGate().warmUp().keepDown();
    const ticket = gate.wait();
    const woken = [...settle(gate, { breaker: false, waitForRecovery: true }), ...gate.pass(1_000).map((one) => one.ticket)];
    expect(woken).toEqual([ticket]);
    expect(gate.health).toMatchObject({ circuit: 'closed', mode: 'disabled' });
  });
});

describe('a snapshot', () => {
  /** In another process, one second later. */
  function reopen(from: AdaptiveGate, prepare: (gate: AdaptiveGate) => void = () => {}): { gate: AdaptiveGate; woken: readonly number[] } {
    const saved = JSON.parse(JSON.stringify(save(from.gate, { now: from.now, nowEpochMs: EPOCH }))) as ReturnType<typeof save>;
    const gate = new AdaptiveGate(from.gate.settings);
    gate.now = 50;
    prepare(gate);
    const { woken } = restore(gate.gate, saved, { now: gate.now, nowEpochMs: EPOCH + 1_000, permitsLost: true });
    return { gate, woken };
  }

  it('of a closed circuit holds nothing', () => {
    expect(reopen(new AdaptiveGate().warmUp()).gate.ask().kind).toBe('permit');
  });

  it('of an open circuit: calls wait, and one probes when the rest of its open period is over', () => {
    const before = new AdaptiveGate().warmUp({ gapMs: 5_000 }).breakDown({}, 5_000);
    const left = before.gate.breaker.openUntil - before.now;
    const { gate } = reopen(before);
    const ticket = gate.wait();
    const [woken] = gate.pass(20_000);
    expect(woken?.ticket).toBe(ticket);
    expect(woken?.at).toBeCloseTo(50 + left - 1_000, 2);
    expect(gate.end(gate.start({ ticket }), 'success').transitions).toMatchObject([{ to: 'closed' }]);
  });

  it('of a circuit with a probe: the probe of the process that is gone holds nothing back', () => {
    const before = new AdaptiveGate().warmUp().breakDown();
    before.now = before.gate.breaker.openUntil;
    before.start();
    const { gate } = reopen(before);
    expect(gate.health.circuit).toBe('half_open');
    expect(gate.start().permit.probe).toBe(true);
  });

  it('of a circuit that is forced open turns waiting calls away', () => {
    const before = new AdaptiveGate();
    before.order('forced_open');
    let ticket = 0;
    const { gate, woken } = reopen(before, (opened) => (ticket = opened.keepDown().wait()));
    expect(woken).toEqual([ticket]);
    expect(gate.refusal({ ticket })).toMatchObject({ source: 'forced_open' });
  });

  it('of an open circuit, restored under calls that wait for a slot: they are backlog from then on', () => {
    const before = new AdaptiveGate({ concurrency: { limit: 1, queue: Infinity } }).breakDown();
    const { gate, woken } = reopen(before, (opened) => {
      opened.start();
      opened.wait();
    });
    expect(woken).toEqual([]);
    expect(gate.gate.bulkhead.line.heap.map(({ backlog }) => backlog)).toEqual([true]);
  });

  it('in shadow mode observes, and holds nothing', () => {
    const before = new AdaptiveGate();
    before.order('shadow');
    const { gate } = reopen(before.breakDown());
    expect(gate.health).toMatchObject({ mode: 'shadow', circuit: 'open' });
    expect(gate.ask().kind).toBe('permit');
  });

  it('of a hold, as another profile makes it, holds no call here', () => {
    const before = new AdaptiveGate();
    holdUntil(before.gate, before.now + 60_000, before.now);
    expect(reopen(before).gate.ask().kind).toBe('permit');
  });
});
