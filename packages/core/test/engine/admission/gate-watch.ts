import { control, holdUntil, withSettings } from '../../../src/engine/admission/gate-control.ts';
import { admit, cancelWait, markOrphaned, record, release, returnPermit } from '../../../src/engine/admission/gate.ts';
import { Gate } from '../../../src/engine/admission/gate-state.ts';
import { health } from '../../../src/engine/admission/health.ts';
import type { Admission, GateChange, GateSettings, OutcomeKind, Permit } from '../../../src/engine/admission/types.ts';
import type { CircuitCommand } from '../../../src/engine/breaker/types.ts';

export type GateStep =
  | { readonly do: 'ask'; readonly retry: boolean }
  | { readonly do: 'come back'; readonly which: number }
  | { readonly do: 'give up'; readonly which: number }
  | { readonly do: 'record'; readonly which: number; readonly outcome: OutcomeKind; readonly hint: number | undefined }
  | { readonly do: 'release' | 'return' | 'orphan'; readonly which: number }
  | { readonly do: 'pass'; readonly by: number }
  | { readonly do: 'order'; readonly command: CircuitCommand }
  | { readonly do: 'hold'; readonly by: number }
  | { readonly do: 'limit'; readonly limit: number };

/** Plays a driver that uses a gate, keeps its own books, and throws where the gate breaks a promise. */
export class GateWatch {
  readonly seen = new Set<string>();
  private readonly gate: Gate;
  private settings: GateSettings;
  private now = 0;
  private readonly live: Permit[] = [];
  private readonly orphans = new Set<Permit>();
  private readonly queue: number[] = [];
  private readonly woken: number[] = [];
  private readonly everWoken = new Set<number>();
  /** A limit lowered under load may be exceeded until calls end. */
  private slack = 0;

  constructor(settings: GateSettings) {
    this.settings = settings;
    this.gate = new Gate(settings);
  }

  take(step: GateStep): void {
    this.apply(step);
    this.check();
  }

  /** Ends everything that is under way; afterwards the gate must be as empty as at its birth. */
  drain(): void {
    while (this.live.length > 0 || this.woken.length > 0 || this.queue.length > 0) {
      const permit = this.live.shift();
      if (permit !== undefined) this.note(release(this.gate, permit, this.now));
      const ticket = this.woken.shift();
      if (ticket !== undefined) this.welcome(admit(this.gate, { retry: false, ticket }, this.now));
      promise(permit !== undefined || ticket !== undefined, 'nobody waits for ever');
    }
    this.orphans.clear();
    this.check();
    promise(this.gate.bulkhead.waiters.size === 0, 'no ticket is kept');
  }

  private apply(step: GateStep): void {
    switch (step.do) {
      case 'ask':
        return this.welcome(admit(this.gate, { retry: step.retry }, this.now));
      case 'come back': {
        const ticket = takeOne(this.woken, step.which);
        return ticket === undefined ? undefined : this.welcome(admit(this.gate, { retry: false, ticket }, this.now));
      }
      case 'give up': {
        const ticket = takeOne(step.which % 2 === 0 ? this.queue : this.woken, step.which);
        return ticket === undefined ? undefined : this.note(cancelWait(this.gate, ticket));
      }
      case 'record': {
        const permit = this.live[step.which % Math.max(1, this.live.length)];
        const observation = { outcome: step.outcome, durationMs: 1 };
        if (permit === undefined) return;
        return this.note(
          record(this.gate, permit, step.hint === undefined ? observation : { ...observation, retryAfterMs: step.hint }, this.now),
        );
      }
      case 'release':
      case 'return':
      case 'orphan':
        return this.finish(step.do, step.which);
      case 'pass':
        this.now += step.by;
        return;
      case 'order':
        return this.note(control(this.gate, step.command, this.now));
      case 'hold':
        return this.note(holdUntil(this.gate, this.now + step.by, this.now));
      case 'limit':
        return this.changeLimit(step.limit);
    }
  }

  private finish(how: 'release' | 'return' | 'orphan', which: number): void {
    if (how === 'orphan') {
      const permit = this.live[which % Math.max(1, this.live.length)];
      if (permit === undefined) return;
      markOrphaned(this.gate, permit);
      this.orphans.add(permit);
      return;
    }
    const permit = takeOne(this.live, which);
    if (permit === undefined) return;
    this.orphans.delete(permit);
    this.note(how === 'release' ? release(this.gate, permit, this.now) : returnPermit(this.gate, permit, this.now));
  }

  private changeLimit(limit: number): void {
    this.settings = { ...this.settings, concurrency: { limit, queue: 2 } };
    this.slack = Math.max(0, this.gate.bulkhead.held + this.gate.bulkhead.reserved - limit);
    this.note(withSettings(this.gate, this.settings, this.now));
  }

  private welcome(answer: Admission): void {
    this.seen.add(answer.kind === 'refused' ? answer.refusal.code : answer.kind);
    if (answer.kind === 'refused') {
      const wait = answer.refusal.retryAfterMs;
      promise(wait === undefined || (Number.isSafeInteger(wait) && wait > 0), 'a wait is a positive whole number');
      return;
    }
    if (answer.kind === 'wait') {
      promise(!this.everWoken.has(answer.ticket) && answer.ticket > (this.queue.at(-1) ?? 0), 'a ticket is new');
      this.queue.push(answer.ticket);
      return;
    }
    promise(health(this.gate, this.now).circuit !== 'open' || this.gate.breaker.mode === 'shadow', 'nobody is admitted while open');
    const probes = this.live.filter((permit) => permit.probe && !permit.recorded && permit.generation === answer.permit.generation);
    promise(!answer.permit.probe || probes.length === 0, 'one probe at a time');
    this.live.push(answer.permit);
  }

  private note(change: GateChange): void {
    for (const ticket of change.woken) {
      promise(!this.everWoken.has(ticket), 'a ticket is woken once');
      promise(this.queue[0] === ticket, 'first come, first served');
      this.seen.add('woken');
      this.everWoken.add(ticket);
      this.queue.shift();
      this.woken.push(ticket);
    }
  }

  private check(): void {
    const { bulkhead } = this.gate;
    const report = health(this.gate, this.now);
    promise(report.inFlight === this.live.length, 'every live permit is in flight');
    promise(report.orphaned === this.orphans.size, 'every orphan is counted');
    promise(report.queued === this.queue.length, 'every waiter is queued');
    this.slack = Math.min(this.slack, Math.max(0, bulkhead.held + bulkhead.reserved - bulkhead.limit));
    promise(bulkhead.reserved >= 0 && bulkhead.held + bulkhead.reserved <= bulkhead.limit + this.slack, 'slots stay within the limit');
    promise(report.queued === 0 || bulkhead.held + bulkhead.reserved >= bulkhead.limit, 'nobody waits while a slot is free');
    const passes = report.circuit === 'closed' || report.mode === 'shadow';
    promise(report.queued === 0 || passes, 'nobody waits before a closed door or behind a probe');
  }
}

function takeOne<Item>(items: Item[], which: number): Item | undefined {
  return items.splice(which % Math.max(1, items.length), 1)[0];
}

function promise(kept: boolean, what: string): void {
  if (!kept) throw new Error(`broken promise: ${what}`);
}
