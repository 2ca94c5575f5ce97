import { describe, expect, it } from 'vitest';
import { admit, createGate, wakeDueWaiters, record, release } from '../../../src/engine/admission/gate.ts';
import type { Gate, Permit } from '../../../src/engine/admission/types.ts';
import { wakeAt } from '../../../src/engine/admission/wake-waiters.ts';

const TIME_LIMIT_MS = 5_000;

/** A tool that is down, and the callers that wait for it: probes go out as soon as the gate lets them. */
class Outage {
  readonly probes: { readonly at: number; readonly permit: Permit }[] = [];
  readonly gate: Gate;
  now = 0;

  constructor(breaker: { openMs: number; openGrowth?: number; maxOpenMs?: number; probes?: number }, callers: number, gapMs: number) {
    this.gate = createGate({ breaker: { failureThreshold: 1, ...breaker }, concurrency: { limit: Infinity, queue: Infinity } });
    for (let nth = 0; nth < callers; nth += 1) {
      this.#pass(gapMs);
      this.#call();
      if (nth === 0) this.#fail(this.probes.shift()?.permit);
    }
  }

  #call(ticket?: number, retry = false): void {
    const request = { retry, timeLimitMs: TIME_LIMIT_MS, waitUntil: 600_000, bornAt: this.now };
    const answer = admit(this.gate, ticket === undefined ? request : { ...request, ticket }, this.now);
    if (answer.kind === 'permit') this.probes.push({ at: this.now, permit: answer.permit });
  }

  #wake(tickets: readonly number[]): void {
    for (const ticket of tickets) this.#call(ticket);
  }

  #pass(milliseconds: number): void {
    const end = this.now + milliseconds;
    for (let at = wakeAt(this.gate, this.now); at !== undefined && at <= end; at = wakeAt(this.gate, this.now)) {
      this.now = at;
      this.#wake(wakeDueWaiters(this.gate, at).woken);
    }
    this.now = end;
  }

  /** Its call waits for the next. */
  #fail(permit: Permit | undefined): void {
    if (permit === undefined) throw new Error('no such attempt');
    this.#wake(record(this.gate, permit, { outcome: 'transient', durationMs: 20 }, this.now).woken);
    this.#wake(release(this.gate, permit, this.now).woken);
    this.#call(undefined, true);
  }

  /** Every probe hangs for the whole of its time limit. */
  hang(forMs: number): readonly number[] {
    const end = this.now + forMs;
    for (; this.now < end; this.#pass(1)) {
      const over = this.probes.find(({ at, permit }) => !permit.recorded && this.now >= at + TIME_LIMIT_MS);
      if (over) this.#fail(over.permit);
    }
    return this.probes.map(({ at }) => at);
  }

  /** Every probe is refused at once. */
  refuse(forMs: number): readonly number[] {
    const end = this.now + forMs;
    for (; this.now < end; this.#pass(1))
      for (const { permit } of this.probes.filter((probe) => !probe.permit.recorded)) this.#fail(permit);
    return this.probes.map(({ at }) => at);
  }
}

const gapsOf = (times: readonly number[]): readonly number[] => times.slice(1).map((at, index) => at - (times[index] as number));

describe('the pace of probes', () => {
  it('a probe that is slow keeps the next one away for an opening, and not for one more', () => {
    const [gap] = gapsOf(new Outage({ openMs: 250, probes: 16 }, 20, 5).hang(1_000));
    expect(gap).toBeGreaterThanOrEqual(250);
    expect(gap).toBeLessThan(300);
  });

  it('where probes hang they go further apart, so that there is always one left to look with', () => {
    const outage = new Outage({ openMs: 250, probes: 16 }, 400, 5);
    const gaps = gapsOf(outage.hang(30_000));
    expect(gaps.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 250));
    // Sixteen of five seconds each.
    expect(Math.max(...gaps.slice(20))).toBeLessThan(400);
    expect(outage.gate.probing.out).toBeLessThan(16);
  });

  it('one at a time waits for its lease, and the opening after it', () => {
    const gaps = gapsOf(new Outage({ openMs: 250 }, 20, 5).hang(20_000));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(TIME_LIMIT_MS + 250);
  });

  it('agents that all wait, and ask for nothing more, are probed for less and less', () => {
    const outage = new Outage({ openMs: 250, openGrowth: 3, maxOpenMs: 15_000, probes: 16 }, 5, 100);
    const gaps = gapsOf(outage.refuse(60_000));
    expect(gaps.at(-1)).toBeGreaterThan(5_000);
    expect(gaps.length).toBeLessThan(20);
  });

  it('where many of them wait, as often as before', () => {
    const gaps = gapsOf(new Outage({ openMs: 250, openGrowth: 3, maxOpenMs: 15_000, probes: 16 }, 400, 5).refuse(30_000));
    // The first caller of all is alone.
    expect(Math.max(...gaps.slice(10))).toBeLessThan(300);
  });
});

describe('a late success', () => {
  const settings = { breaker: { failureThreshold: 1, openMs: 100, probes: 3 }, concurrency: { limit: Infinity, queue: Infinity } };
  const call = (gate: Gate, now: number): Permit => {
    const answer = admit(gate, { retry: false, timeLimitMs: TIME_LIMIT_MS }, now);
    if (answer.kind !== 'permit') throw new Error(`no permit at ${now}: ${JSON.stringify(answer)}`);
    return answer.permit;
  };
  const tell = (gate: Gate, permit: Permit, outcome: 'success' | 'transient', now: number): readonly string[] =>
    record(gate, permit, { outcome, durationMs: 20 }, now).transitions.map(({ reason }) => reason);

  it('of a probe that has lost its place closes the circuit', () => {
    const gate = createGate(settings);
    tell(gate, call(gate, 0), 'transient', 0);
    const slow = call(gate, 100);
    tell(gate, call(gate, 900), 'transient', 910);
    expect(tell(gate, slow, 'success', 950)).toEqual(['probe_succeeded']);
    expect(gate.breaker.state).toBe('closed');
  });

  it('of a probe of an earlier outage does not', () => {
    const gate = createGate(settings);
    tell(gate, call(gate, 0), 'transient', 0);
    const slow = call(gate, 100);
    expect(tell(gate, call(gate, 900), 'success', 910)).toEqual(['probe_succeeded']);
    tell(gate, call(gate, 1_500), 'transient', 1_500);
    expect(tell(gate, slow, 'success', 1_510)).toEqual([]);
    expect(gate.breaker.state).toBe('open');
  });
});

it('a circuit that only watches starts nothing slowly', () => {
  const gate = createGate({ breaker: { failureThreshold: 1, openMs: 5_000, probes: 3 }, concurrency: { limit: Infinity, queue: 0 } });
  gate.breaker.mode = 'shadow';
  const permits = Array.from({ length: 3 }, () => admit(gate, { retry: false }, 0));
  for (const { permit } of permits as { permit: Permit }[]) {
    record(gate, permit, { outcome: 'transient', durationMs: 20 }, 0);
    release(gate, permit, 0);
  }
  const probe = admit(gate, { retry: false }, 6_000) as { permit: Permit };
  record(gate, probe.permit, { outcome: 'success', durationMs: 20 }, 6_020);
  expect(gate.breaker.state).toBe('closed');
  const kinds = Array.from({ length: 50 }, () => admit(gate, { retry: false }, 6_030).kind);
  expect(new Set(kinds)).toEqual(new Set(['permit']));
});
