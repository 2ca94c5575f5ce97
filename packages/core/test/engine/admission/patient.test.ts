import { describe, expect, it } from 'vitest';
import { control, holdUntil } from '../../../src/engine/admission/gate-control.ts';
import { admit, cancelWait, createGate, wakeDueWaiters, record, release, waitForFleet } from '../../../src/engine/admission/gate.ts';
import { health } from '../../../src/engine/admission/health.ts';
import type { Admission, Gate, GateSettings, OutcomeKind, Permit } from '../../../src/engine/admission/types.ts';
import { wakeAt } from '../../../src/engine/admission/wake-waiters.ts';

interface Asking {
  readonly waitMs?: number;
  readonly retry?: boolean;
  readonly ticket?: number;
  readonly bornAt?: number;
}

/** A gate whose calls may wait for recovery, with a clock turned by hand. */
class PatientGate {
  readonly gate: Gate;
  now = 0;

  constructor(settings: Partial<GateSettings> = {}) {
    this.gate = createGate({ breaker: { failureThreshold: 1, openMs: 100 }, ...settings });
  }

  ask({ waitMs, retry = false, ...more }: Asking = {}): Admission {
    const waitUntil = waitMs === undefined ? {} : { waitUntil: this.now + waitMs };
    return admit(this.gate, { retry, ...more, ...waitUntil }, this.now);
  }

  permit(asking: Asking = {}): Permit {
    const answer = this.ask(asking);
    if (answer.kind !== 'permit') throw new Error(`no permit: ${JSON.stringify(answer)}`);
    return answer.permit;
  }

  /** Its ticket. */
  wait(asking: Asking = {}): number {
    const answer = this.ask({ waitMs: 60_000, ...asking });
    if (answer.kind !== 'wait') throw new Error(`it does not wait: ${JSON.stringify(answer)}`);
    return answer.ticket;
  }

  /** Whom the end of an attempt wakes. */
  end(permit: Permit, outcome: OutcomeKind = 'success', durationMs = 10): readonly number[] {
    const recorded = record(this.gate, permit, { outcome, durationMs }, this.now).woken;
    return [...recorded, ...release(this.gate, permit, this.now).woken];
  }

  /** Its circuit opens. */
  fail(): this {
    this.end(this.permit(), 'transient');
    return this;
  }

  look(after: number): readonly number[] {
    this.now += after;
    return wakeDueWaiters(this.gate, this.now).woken;
  }

  get wakeAt(): number | undefined {
    return wakeAt(this.gate, this.now);
  }
}

const one = { concurrency: { limit: 1, queue: Infinity } } as const;

describe('whether a call waits', () => {
  it('is asked of what keeps it back: that has to be over before its wait is', () => {
    const gate = new PatientGate().fail();
    expect(gate.ask({ waitMs: 100 })).toMatchObject({ kind: 'refused', refusal: { code: 'CIRCUIT_OPEN', retryAfterMs: 100 } });
    expect(gate.ask({ waitMs: 101 })).toMatchObject({ kind: 'wait' });
    holdUntil(gate.gate, 7_000, 0);
    expect(gate.ask({ waitMs: 6_000 })).toMatchObject({ kind: 'refused' });
    expect(gate.ask({ waitMs: 7_001 })).toMatchObject({ kind: 'wait' });
  });

  it('says what it waits for: the circuit, a server or a limiter that asked for quiet, or a slot', () => {
    expect(new PatientGate().fail().ask({ waitMs: 500 })).toMatchObject({ wait: 'recovery', retryAfterMs: 100, queued: 1 });
    const held = new PatientGate();
    holdUntil(held.gate, 300, 0);
    expect(held.ask({ waitMs: 500 })).toMatchObject({ wait: 'retry_after', retryAfterMs: 300 });
    const limited = new PatientGate({ rateLimit: { limit: 1, windowMs: 200 } });
    limited.permit();
    expect(limited.ask({ waitMs: 500 })).toMatchObject({ wait: 'retry_after', retryAfterMs: 200 });
    const full = new PatientGate({ concurrency: { limit: 9, queue: 9, adaptive: { initialLimit: 1, minLimit: 1 } } });
    full.permit();
    expect(full.ask({ waitMs: 500 })).toMatchObject({ wait: 'concurrency', limit: 1, queued: 1 });
  });

  it('the queue has room for so many, whatever they wait for', () => {
    const gate = new PatientGate({ concurrency: { limit: 5, queue: 1 } }).fail();
    gate.wait();
    expect(gate.ask({ waitMs: 60_000 })).toMatchObject({ kind: 'refused', refusal: { code: 'CIRCUIT_OPEN' } });
  });

  it('at a circuit that a person keeps open nobody does, and those who did are told', () => {
    const gate = new PatientGate().fail();
    const tickets = [gate.wait(), gate.wait()];
    expect(control(gate.gate, 'forced_open', 0).woken).toEqual(tickets);
    expect(gate.ask({ waitMs: 60_000, ticket: tickets[0] as number })).toMatchObject({ kind: 'refused' });
    expect(gate.ask({ waitMs: 60_000 })).toMatchObject({ kind: 'refused' });
    expect(gate.wakeAt).toBeUndefined();
  });

  it('who waits for a slot alone is turned out when the circuit opens; the others stay', () => {
    const gate = new PatientGate(one);
    const running = gate.permit();
    const patient = gate.wait();
    const answer = gate.ask();
    if (answer.kind !== 'wait') throw new Error('it waits for a slot');
    expect(gate.end(running, 'transient')).toEqual([answer.ticket]);
    expect(gate.look(100)).toEqual([patient]);
  });
});

describe('who is woken to probe', () => {
  it('is one at a time, when the opening is over', () => {
    const gate = new PatientGate().fail();
    const [first] = [gate.wait(), gate.wait()];
    expect(gate.wakeAt).toBe(100);
    expect(gate.look(99)).toEqual([]);
    expect(gate.look(1)).toEqual([first]);
    expect(gate.look(0)).toEqual([]);
    expect(gate.ask({ waitMs: 60_000 })).toMatchObject({ kind: 'wait', wait: 'recovery' });
  });

  it('is the next at once where the first gives up before it came back', () => {
    const gate = new PatientGate().fail();
    const [first, second] = [gate.wait(), gate.wait()];
    gate.look(100);
    expect(cancelWait(gate.gate, first as number).woken).toEqual([second]);
  });

  it('is nobody before the time that somebody else, as a fleet is, has named', () => {
    const gate = new PatientGate().fail();
    const [first] = [gate.wait(), gate.wait()];
    gate.look(100);
    const refusal = { code: 'CIRCUIT_OPEN', source: 'probe_in_progress', retryAfterMs: 500 } as const;
    const asked = { retry: false, ticket: first, waitUntil: 60_000 };
    expect(waitForFleet(gate.gate, asked, refusal, gate.now)).toMatchObject({ kind: 'wait', wait: 'recovery', retryAfterMs: 500 });
    expect(gate.wakeAt).toBe(600);
    expect(gate.look(499)).toEqual([]);
    expect(gate.look(1)).toHaveLength(1);
  });

  it('is nobody while a server that asked for quiet, or the rate limit, would turn it away', () => {
    const held = new PatientGate().fail();
    held.wait();
    held.now = 100;
    holdUntil(held.gate, 900, 100);
    expect(held.wakeAt).toBe(900);
    const limited = new PatientGate({ rateLimit: { limit: 1, windowMs: 800 } }).fail();
    limited.wait();
    expect(limited.wakeAt).toBe(800);
    expect(limited.look(100)).toEqual([]);
  });
});

describe('what a call that waited has paid', () => {
  it('the rate limit counts it once, when it was let into the queue of a slot', () => {
    const gate = new PatientGate({ ...one, rateLimit: { limit: 2, windowMs: 1_000 } });
    const first = gate.permit();
    gate.now = 10;
    const ticket = gate.wait();
    gate.now = 500;
    expect(gate.end(first)).toEqual([ticket]);
    gate.end(gate.permit({ ticket, waitMs: 60_000 }));
    gate.now = 1_001;
    expect(gate.ask().kind).toBe('permit');
  });

  it('the rate limit counts it when it is woken to probe', () => {
    const gate = new PatientGate({ rateLimit: { limit: 2, windowMs: 1_000 } }).fail();
    const ticket = gate.wait();
    gate.look(100);
    gate.end(gate.permit({ ticket, waitMs: 60_000 }));
    expect(gate.ask()).toMatchObject({ kind: 'refused', refusal: { code: 'RATE_LIMITED', retryAfterMs: 900 } });
    gate.now = 1_000;
    gate.end(gate.permit());
    expect(gate.ask()).toMatchObject({ kind: 'refused', refusal: { retryAfterMs: 100 } });
  });

  it('a first attempt earns once, a retry that waited for recovery costs nothing', () => {
    const earning = new PatientGate({ ...one, retryBudget: { ratio: 1, floor: 0, windowMs: 60_000 } });
    const first = earning.permit();
    const ticket = earning.wait();
    earning.end(first);
    earning.end(earning.permit({ ticket, waitMs: 60_000 }));
    expect(health(earning.gate, 0).retryBudgetLeft).toBe(2);

    const gate = new PatientGate({ retryBudget: { ratio: 1, floor: 0, windowMs: 60_000 } }).fail();
    const retry = gate.wait({ retry: true });
    expect(gate.look(100)).toEqual([retry]);
    gate.end(gate.permit({ ticket: retry, retry: true, waitMs: 60_000 }));
    expect(health(gate.gate, gate.now).retryBudgetLeft).toBe(1);
    gate.end(gate.permit({ retry: true }));
    expect(health(gate.gate, gate.now).retryBudgetLeft).toBe(0);
  });
});

describe('a adaptive limit at the gate', () => {
  const adaptive = { initialLimit: 1, minLimit: 1, maxLimit: 8 };
  const learning = (order: 'in_order' | 'fresh_first' = 'in_order'): PatientGate =>
    new PatientGate({ concurrency: { limit: 100, queue: 100, order, adaptive } });

  it('counts the slots that are kept for those who were woken', () => {
    const gate = learning();
    const running = gate.permit();
    const [first] = [gate.wait(), gate.wait()];
    expect(gate.end(running)).toEqual([first]);
    expect(gate.look(0)).toEqual([]);
  });

  it.each([
    ['for a slot alone', {}],
    ['for recovery', { waitMs: 60_000 }],
  ])('does not count work that hangs: anyone who waits %s goes on in its place', (_what, asking) => {
    const gate = learning();
    gate.permit();
    const answer = gate.ask(asking);
    if (answer.kind !== 'wait') throw new Error('the limit is one');
    expect(gate.wakeAt).toBe(10_000);
    expect(gate.look(9_999)).toEqual([]);
    expect(gate.look(1)).toEqual([answer.ticket]);
  });

  it('a call is young for five times what is usual, and for two seconds at least', () => {
    for (const { usualMs, youngForMs } of [
      { usualMs: 10, youngForMs: 2_000 },
      { usualMs: 1_000, youngForMs: 5_000 },
    ]) {
      const gate = learning('fresh_first');
      for (let nth = 0; nth < 20; nth += 1) gate.end(gate.permit(), 'success', usualMs);
      gate.now = 20_000;
      gate.gate.adaptiveLimit!.limit = 1;
      const running = gate.permit();
      const older = gate.wait({ bornAt: 20_000 - youngForMs, waitMs: 50_000 });
      const young = gate.wait({ bornAt: 20_000 - youngForMs + 1, waitMs: 60_000 });
      const old = gate.wait({ bornAt: 20_000 - youngForMs, waitMs: 70_000 });
      const [next] = gate.end(running, 'neutral');
      expect(next).toBe(young);
      expect(gate.end(gate.permit({ ticket: young, waitMs: 1 }), 'neutral')[0]).toBe(older);
      expect(gate.end(gate.permit({ ticket: older, waitMs: 1 }), 'neutral')[0]).toBe(old);
    }
  });
});
