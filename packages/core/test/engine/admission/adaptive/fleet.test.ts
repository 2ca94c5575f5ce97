/** Changes that come from other processes, and probes that the fleet has to allow. */
import { describe, expect, it } from 'vitest';
import { adoptClosing, adoptCoordinatorLoss, adoptOpening } from '../../../../src/distributed/fleet/apply-fleet-state.ts';
import { admit, isProbeOut, waitForFleet } from '../../../../src/engine/admission/gate.ts';
import { AdaptiveGate } from './adaptive-gate.ts';

describe('the fleet', () => {
  it('opens the circuit: ready calls are backlog, and leave as after a probe when it closes it', () => {
    const gate = new AdaptiveGate().warmUp({ calls: 300, gapMs: 100 });
    gate.adaptive.pace.tokens = 0;
    const retry = gate.wait({ failed: {}, waitMs: 59_000 });
    const { transitions, woken } = adoptOpening(gate.gate, 20_000, false, gate.now);
    expect(transitions).toMatchObject([{ to: 'open', reason: 'fleet', openForMs: 20_000 }]);
    expect(woken).toEqual([]);
    const tickets = [gate.wait(), gate.wait(), gate.wait()];
    gate.adaptive.pace.tokens = 10;
    const { gapMs } = gate.adaptive.pace;
    gate.pass(5_000);
    const closing = adoptClosing(gate.gate, gate.now);
    expect(closing.transitions).toMatchObject([{ to: 'closed', reason: 'fleet' }]);
    // Nothing has started for a while.
    expect(closing.woken).toEqual([retry]);
    expect(gate.adaptive.pace.gapMs).toBe(gapMs);
    expect(gate.run('success').woken).toEqual([tickets[0]]);
  });

  it('closes it: failures of before count no longer', () => {
    const gate = new AdaptiveGate().warmUp().breakDown();
    adoptClosing(gate.gate, gate.now);
    gate.now += 5_000;
    expect(gate.run('transient').transitions).toEqual([]);
    expect(gate.health).toMatchObject({ circuit: 'closed', failureCount: 1 });
  });

  it('changes no circuit under manual control', () => {
    for (const mode of ['disabled', 'shadow', 'forced_open'] as const) {
      const gate = new AdaptiveGate();
      gate.order(mode);
      expect(adoptOpening(gate.gate, 20_000, false, gate.now)).toEqual({ transitions: [], woken: [] });
      expect(adoptClosing(gate.gate, gate.now)).toEqual({ transitions: [], woken: [] });
    }
  });

  it('refuses a probe for now: the woken call waits again, and none probes before that is over', () => {
    const gate = new AdaptiveGate().warmUp().breakDown({ timedOut: true });
    const tickets = [gate.wait(), gate.wait()];
    const [woken] = gate.pass(2_000);
    const now = woken!.at;
    gate.now = now;
    const refusal = { code: 'CIRCUIT_OPEN', source: 'probe_in_progress', retryAfterMs: 500 } as const;
    const asked = { retry: false, ticket: woken!.ticket, waitUntil: now + 50_000 };
    expect(waitForFleet(gate.gate, asked, refusal, now)).toMatchObject({ kind: 'wait', wait: 'recovery', retryAfterMs: 500, queued: 2 });
    expect(gate.wakeAt).toBe(now + 500);
    expect(gate.ask()).toMatchObject({ kind: 'wait', wait: 'recovery', retryAfterMs: 500 });
    expect(gate.pass(499)).toEqual([]);
    expect(gate.pass(1)).toHaveLength(1);
    expect(tickets).toHaveLength(2);
  });

  it('refuses a call that cannot wait', () => {
    const gate = new AdaptiveGate().warmUp().breakDown();
    gate.now = gate.gate.breaker.openUntil;
    const refusal = { code: 'CIRCUIT_OPEN', source: 'probe_in_progress', retryAfterMs: 500 } as const;
    expect(waitForFleet(gate.gate, { retry: false }, refusal, gate.now)).toMatchObject({ kind: 'refused', refusal });
  });

  it('refuses a probe again and again: the call pays its rate limit once', () => {
    const gate = new AdaptiveGate({ rateLimit: { limit: 7, windowMs: 600_000 } }).breakDown({ timedOut: true });
    let ticket = gate.wait();
    const refusal = { code: 'CIRCUIT_OPEN', source: 'probe_in_progress', retryAfterMs: 100 } as const;
    for (let nth = 0; nth < 5; nth += 1) {
      const [woken] = gate.pass(10_000);
      expect(woken?.ticket).toBe(ticket);
      const answer = waitForFleet(gate.gate, { retry: false, ticket, waitUntil: gate.now + 50_000 }, refusal, gate.now);
      if (answer.kind !== 'wait') throw new Error('it waits');
      ({ ticket } = answer);
    }
    gate.pass(10_000);
    expect(gate.start({ ticket }).permit.probe).toBe(true);
  });

  it('probes elsewhere: a call waits although that lease is longer than its time, and is woken by the closing', () => {
    const gate = new AdaptiveGate().warmUp().breakDown();
    adoptOpening(gate.gate, 120_000, true, gate.now);
    expect(isProbeOut(gate.gate, gate.now)).toBe(true);
    const ticket = gate.wait({ waitMs: 9_000, failed: {} });
    gate.pass(3_000);
    expect(adoptClosing(gate.gate, gate.now).woken).toEqual([ticket]);
    expect(isProbeOut(gate.gate, gate.now)).toBe(false);
  });

  it('is gone while it probes elsewhere: the local open period decides', () => {
    const gate = new AdaptiveGate().warmUp().breakDown({ timedOut: true });
    adoptOpening(gate.gate, 120_000, true, gate.now);
    const ticket = gate.wait();
    expect(adoptCoordinatorLoss(gate.gate, gate.now)).toBeDefined();
    expect(isProbeOut(gate.gate, gate.now)).toBe(false);
    expect(gate.pass(2_000)).toMatchObject([{ ticket }]);
  });
});

it('a probe is out from its start to its end or the end of its lease, and nothing else counts as one', () => {
  const gate = new AdaptiveGate().warmUp().breakDown();
  expect(isProbeOut(gate.gate, gate.now)).toBe(false);
  gate.now = gate.gate.breaker.openUntil;
  const probe = gate.start();
  expect(isProbeOut(gate.gate, gate.now)).toBe(true);
  expect(isProbeOut(gate.gate, gate.gate.breaker.leaseUntil)).toBe(false);
  expect(admit(gate.gate, { retry: false }, gate.now)).toMatchObject({ kind: 'refused', refusal: { source: 'probe_in_progress' } });
  gate.end(probe, 'transient');
  expect(isProbeOut(gate.gate, gate.now)).toBe(false);
  gate.now = gate.gate.breaker.openUntil;
  gate.start();
  gate.order('forced_open');
  expect(isProbeOut(gate.gate, gate.now)).toBe(false);
});
