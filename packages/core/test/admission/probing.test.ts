import { describe, expect, it } from 'vitest';
import { admit, createGate, lookAgain, record, release } from '../../src/admission/gate.ts';
import type { Gate, Permit } from '../../src/admission/types.ts';
import { wakeAt } from '../../src/admission/waking.ts';

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
      this.#wake(lookAgain(this.gate, at).woken);
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
