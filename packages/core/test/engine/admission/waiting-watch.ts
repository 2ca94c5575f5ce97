import { control, holdUntil } from '../../../src/engine/admission/gate-control.ts';
import { admit, cancelWait, createGate, wakeDueWaiters, record, release } from '../../../src/engine/admission/gate.ts';
import type { Admission, Gate, GateChange, GateSettings, OutcomeKind, Permit } from '../../../src/engine/admission/types.ts';
import { wakeAt } from '../../../src/engine/admission/wake-waiters.ts';
import type { CircuitCommand } from '../../../src/engine/breaker/types.ts';

export type WaitingStep =
  | { readonly do: 'ask'; readonly age: number; readonly waitMs: number | undefined; readonly retry: boolean }
  | { readonly do: 'come back' | 'give up' | 'release'; readonly which: number }
  | {
      readonly do: 'record';
      readonly which: number;
      readonly outcome: OutcomeKind;
      readonly hint: number | undefined;
      readonly limited: boolean;
    }
  | { readonly do: 'pass'; readonly by: number }
  | { readonly do: 'order'; readonly command: CircuitCommand }
  | { readonly do: 'hold'; readonly by: number };

interface Waiting {
  readonly ticket: number;
  readonly bornAt: number;
  /** Undefined for a call that waits for a slot alone. */
  readonly until: number | undefined;
}

const FRESH_MS = 2_000;

/** A driver that rings the alarm when the gate asks for it, keeps its own books of who waits, and throws where the gate breaks a promise. */
export class WaitingWatch {
  readonly seen = new Set<string>();
  private readonly gate: Gate;
  private readonly settings: GateSettings;
  private readonly order: string;
  private now = 0;
  private readonly live: Permit[] = [];
  private probesOut = 0;
  private queue: Waiting[] = [];
  /** A server's limit on requests made those wait who wait, and nothing worse has come since. */
  private throttled = false;
  private readonly woken: Waiting[] = [];

  constructor(settings: GateSettings) {
    this.settings = settings;
    this.gate = createGate(settings);
    this.order = (settings.concurrency && settings.concurrency.order) || 'in_order';
  }

  take(step: WaitingStep): void {
    this.apply(step);
    this.check();
  }

  /** Anyone who waits continues or hears why not, though nobody asks any more. */
  drain(): void {
    for (let round = 0; this.live.length + this.woken.length + this.queue.length > 0; round += 1) {
      promise(round < 5_000, 'nobody waits for ever');
      const permit = this.live.shift();
      if (permit !== undefined) {
        this.note(record(this.gate, permit, { outcome: 'success', durationMs: 20 }, this.now));
        this.note(release(this.gate, permit, this.now));
      } else if (this.woken.length > 0) this.comeBack(0);
      else this.pass((wakeAt(this.gate, this.now) ?? this.now + 1) - this.now);
      this.check();
    }
    promise(this.gate.bulkhead.waiters.size === 0, 'no ticket is kept');
    promise(this.gate.bulkhead.reserved === 0 && !this.gate.probing.kept && this.gate.probing.out === 0, 'nothing is kept for nobody');
    promise(this.gate.bulkhead.line.heap.length === 0 && this.gate.bulkhead.line.first === undefined, 'the line is empty');
  }

  private apply(step: WaitingStep): void {
    switch (step.do) {
      case 'ask': {
        const until = step.waitMs === undefined ? undefined : this.now + step.waitMs;
        return this.welcome({ ticket: 0, bornAt: this.now - step.age, until }, step.retry);
      }
      case 'come back':
        return this.woken.length === 0 ? undefined : this.comeBack(step.which % this.woken.length);
      case 'give up': {
        const waiting = this.queue[step.which % Math.max(this.queue.length, 1)];
        if (waiting === undefined) return;
        this.left(waiting);
        return this.note(cancelWait(this.gate, waiting.ticket));
      }
      case 'record': {
        const permit = this.live[step.which % Math.max(this.live.length, 1)];
        if (permit === undefined) return;
        const { outcome, hint, limited } = step;
        const observation = { outcome, durationMs: 20, ...(hint === undefined ? {} : { retryAfterMs: hint }), rateLimited: limited };
        const told = !permit.recorded;
        // A probe that succeeds says of those who wait that the service is there, whatever it asks for beside that.
        const wasClosed = this.gate.breaker.state === 'closed';
        const change = record(this.gate, permit, observation, this.now);
        const { breaker } = this.settings;
        if (told && limited && hint !== undefined && breaker !== false && breaker.falseAlarmRate !== undefined) this.throttled = wasClosed;
        return this.note(change);
      }
      case 'release': {
        const [permit] = this.live.splice(step.which % Math.max(this.live.length, 1), 1);
        return permit === undefined ? undefined : this.note(release(this.gate, permit, this.now));
      }
      case 'pass':
        return this.pass(step.by);
      case 'order':
        return this.note(control(this.gate, step.command, this.now));
      case 'hold':
        return this.note(holdUntil(this.gate, this.now + step.by, this.now));
    }
  }

  /** Time passes, and the alarm rings as often as it is due. */
  private pass(by: number): void {
    const end = this.now + by;
    for (let rings = 0; ; rings += 1) {
      const at = wakeAt(this.gate, this.now);
      if (at === undefined || at > end) break;
      promise(rings < 2_000, 'the alarm does not ring in a loop');
      this.now = Math.max(this.now, at);
      this.note(wakeDueWaiters(this.gate, this.now));
      const next = wakeAt(this.gate, this.now);
      promise(next === undefined || next > this.now, 'anyone who is due has been woken');
    }
    this.now = end;
  }

  private comeBack(which: number): void {
    const [waiting] = this.woken.splice(which, 1);
    if (waiting !== undefined) this.welcome(waiting, false);
  }

  private welcome({ ticket, bornAt, until }: Waiting, retry: boolean): void {
    const held = this.now < this.gate.breaker.holdUntil && this.gate.breaker.mode !== 'shadow';
    const asked = { retry, bornAt, waitUntil: until, timeLimitMs: 50, ...(ticket === 0 ? {} : { ticket }) };
    const answer: Admission = admit(this.gate, asked, this.now);
    this.seen.add(answer.kind === 'wait' ? `wait:${answer.wait ?? 'slot'}` : answer.kind);
    if (answer.kind === 'permit') {
      promise(!held, 'nobody goes while a server asked for quiet');
      if (answer.permit.probe) this.seen.add('probe');
      this.live.push(answer.permit);
    }
    if (answer.kind !== 'wait') return;
    promise(until === undefined || until > this.now, 'nobody waits whose wait is over');
    this.queue.push({ ticket: answer.ticket, bornAt, until });
  }

  private note({ woken }: GateChange): void {
    if (this.gate.breaker.state !== 'closed') this.throttled = false;
    for (const ticket of woken) {
      const waiting = this.queue.find((other) => other.ticket === ticket);
      if (waiting === undefined) throw new Error('broken promise: only who waits is woken, and once');
      const state = this.gate.bulkhead.waiters.get(ticket)?.state ?? 'gone';
      this.seen.add(state);
      if (state === 'turned_away') {
        const over = waiting.until === undefined || waiting.until <= this.now || this.gate.breaker.mode === 'forced_open';
        promise(over, 'who waits for recovery is turned out only when its wait is over');
      } else promise(waiting === this.expected(), `the right one is next (${this.order})`);
      this.left(waiting);
      this.woken.push(waiting);
    }
  }

  private left(waiting: Waiting): void {
    this.queue = this.queue.filter((other) => other !== waiting);
    if (this.queue.length === 0) this.throttled = false;
  }

  private expected(): Waiting | undefined {
    if (this.order === 'in_order') return this.queue[0];
    const [first] = this.queue.toSorted((one, other) => (one.until ?? Infinity) - (other.until ?? Infinity) || one.ticket - other.ticket);
    if (first && this.throttled && this.now - first.bornAt < 0.75 * ((first.until ?? Infinity) - first.bornAt)) return first;
    const fresh = this.queue.filter(({ bornAt }) => this.now - bornAt < FRESH_MS);
    if (fresh.length > 0) return fresh.at(-1);
    return first;
  }

  private check(): void {
    const { bulkhead, probing } = this.gate;
    const { breaker } = this.settings;
    promise(bulkhead.queued === this.queue.length, 'the queue is as long as it should be');
    promise(bulkhead.held === this.live.length, 'as many are out as were let out');
    promise(bulkhead.held + bulkhead.reserved <= bulkhead.limit, 'slots stay within the limit');
    promise(bulkhead.reserved >= 0 && bulkhead.orphaned >= 0, 'no count is below zero');
    const most = breaker === false ? 1 : (breaker.probes ?? 1);
    // A circuit in shadow mode only watches, so it keeps no call back, whatever it would take for a probe: they come back in their time.
    const mayBeOut = this.gate.breaker.mode === 'shadow' ? Infinity : Math.max(most, this.probesOut);
    promise(probing.out >= 0 && (most === 1 || probing.out <= mayBeOut), 'no more probes are out than may be');
    this.probesOut = probing.out;
    const patient = this.queue.filter(({ until }) => until !== undefined);
    promise(bulkhead.patient === patient.length, 'who may wait is counted');
    const at = wakeAt(this.gate, this.now);
    const ends = Math.min(Infinity, ...patient.map(({ until }) => until ?? Infinity));
    promise(patient.length === 0 || (at !== undefined && at <= ends), 'the alarm rings when a wait is over, or before');
  }
}

function promise(kept: boolean, what: string): void {
  if (!kept) throw new Error(`broken promise: ${what}`);
}
