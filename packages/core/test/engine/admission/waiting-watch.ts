import { adoptClosing, adoptOpening } from '../../../src/distributed/fleet/apply-fleet-state.ts';
import { isUp } from '../../../src/engine/admission/adaptive/adaptive.ts';
import { hasFreeSlot } from '../../../src/engine/admission/bulkhead.ts';
import { control, holdUntil, restore, save, withSettings } from '../../../src/engine/admission/gate-control.ts';
import {
  admit,
  cancelWait,
  markOrphaned,
  record,
  release,
  returnPermit,
  waitForFleet,
  wakeAt,
  wakeDueWaiters,
} from '../../../src/engine/admission/gate.ts';
import { Gate } from '../../../src/engine/admission/gate-state.ts';
import { health } from '../../../src/engine/admission/health.ts';
import { limiterFreeAt } from '../../../src/engine/admission/rate-limiter.ts';
import type {
  Admission,
  AdmissionRequest,
  FailedBefore,
  GateChange,
  GateSettings,
  OutcomeKind,
  Permit,
} from '../../../src/engine/admission/types.ts';
import type { CircuitCommand } from '../../../src/engine/breaker/types.ts';

export type WaitingStep =
  | { readonly do: 'ask'; readonly age: number; readonly waitMs: number | undefined; readonly failed: FailedBefore | undefined }
  | { readonly do: 'come back'; readonly which: number; readonly refused: boolean }
  | { readonly do: 'give up' | 'release' | 'return' | 'orphan'; readonly which: number }
  | {
      readonly do: 'record';
      readonly which: number;
      readonly outcome: OutcomeKind;
      readonly hint: number | undefined;
      readonly timedOut: boolean;
    }
  | { readonly do: 'pass'; readonly by: number; readonly look: number }
  | { readonly do: 'order'; readonly command: CircuitCommand }
  | { readonly do: 'hold'; readonly by: number }
  | { readonly do: 'limit'; readonly limit: number }
  | { readonly do: 'switch' | 'restart' }
  | { readonly do: 'fleet'; readonly opens: boolean; readonly openForMs: number; readonly probed: boolean };

interface Waiting {
  readonly ticket: number;
  readonly bornAt: number;
  /** Undefined for a call that waits for a slot alone. */
  readonly until: number | undefined;
  readonly failed: FailedBefore | undefined;
}

interface Running {
  readonly permit: Permit;
  readonly call: object;
  readonly startedAt: number;
}

const TIME_LIMIT_MS = 500;

/** A driver that asks the gate to wake calls when the gate wants to be asked, keeps its own list of waiting calls, and throws where the gate breaks a promise. */
export class WaitingWatch {
  readonly seen = new Set<string>();
  private readonly gate: Gate;
  private settings: GateSettings;
  private now = 0;
  private readonly live: Running[] = [];
  private readonly orphans = new Set<Permit>();
  private queue: Waiting[] = [];
  private readonly woken: Waiting[] = [];
  /** A limit lowered under load may be exceeded until calls end. */
  private slack = 0;
  private joined = 0;
  private idleAlarms = 0;
  private hasSwitched = false;

  constructor(settings: GateSettings) {
    this.settings = settings;
    this.gate = new Gate(settings);
  }

  take(step: WaitingStep): void {
    this.apply(step);
    this.check();
  }

  /** Every waiting call continues or is refused, although no new call comes. */
  drain(): void {
    for (let round = 0; this.live.length + this.woken.length + this.queue.length > 0; round += 1) {
      promise(round < 5_000, 'no call waits for ever');
      const running = this.live[0];
      if (running !== undefined) {
        this.note(record(this.gate, running.permit, { outcome: 'success', durationMs: 20 }, this.now, running.call));
        this.finish('release', 0);
      } else if (this.woken.length > 0) this.comeBack(0, false);
      else this.pass(Math.max((wakeAt(this.gate, this.now) ?? this.now) - this.now, 1), 0.5);
      this.check();
    }
    const { bulkhead, adaptive } = this.gate;
    promise(bulkhead.waiters.size === 0 && bulkhead.line.heap.length === 0, 'no ticket is kept');
    promise(bulkhead.reserved === 0 && bulkhead.held === 0 && bulkhead.orphaned === 0, 'no slot is kept');
    promise(adaptive?.probeKept !== true, 'no probe is kept');
  }

  private apply(step: WaitingStep): void {
    const { gate, now } = this;
    switch (step.do) {
      case 'ask': {
        const until = step.waitMs === undefined ? undefined : now + step.waitMs;
        return this.admit({ ticket: 0, bornAt: now - step.age, until, failed: step.failed }, false);
      }
      case 'come back':
        return this.comeBack(step.which, step.refused);
      case 'give up':
        return this.giveUp(step.which);
      case 'record':
        return this.record(step);
      case 'release':
      case 'return':
        return this.finish(step.do, step.which);
      case 'orphan': {
        const running = this.live[step.which % Math.max(this.live.length, 1)];
        if (running === undefined) return;
        markOrphaned(gate, running.permit);
        this.orphans.add(running.permit);
        return;
      }
      case 'pass':
        return this.pass(step.by, step.look);
      case 'order':
        return this.note(control(gate, step.command, now));
      case 'hold':
        return this.note(holdUntil(gate, now + step.by, now));
      case 'limit':
        return this.settle({ ...this.settings, concurrency: { limit: step.limit, queue: Infinity } });
      case 'switch':
        return this.settle({ ...this.settings, waitForRecovery: this.settings.waitForRecovery !== true });
      case 'restart':
        return this.note(restore(gate, save(gate, { now, nowEpochMs: 1e12 }), { now, nowEpochMs: 1e12 }));
      case 'fleet':
        return this.note(step.opens ? adoptOpening(gate, step.openForMs, step.probed, now) : adoptClosing(gate, now));
    }
  }

  private settle(settings: GateSettings): void {
    const { bulkhead } = this.gate;
    const limit = settings.concurrency ? settings.concurrency.limit : Infinity;
    this.slack = Math.max(0, bulkhead.held + bulkhead.reserved - limit);
    this.hasSwitched ||= settings.waitForRecovery !== this.settings.waitForRecovery;
    const switches = settings.waitForRecovery !== this.settings.waitForRecovery;
    this.settings = settings;
    this.note(withSettings(this.gate, settings, this.now), switches);
  }

  private record({ which, outcome, hint, timedOut }: WaitingStep & { readonly do: 'record' }): void {
    const running = this.live[which % Math.max(this.live.length, 1)];
    if (running === undefined) return;
    const durationMs = this.now - running.startedAt;
    const observation = { outcome, durationMs, timedOut, ...(hint === undefined ? {} : { retryAfterMs: hint }) };
    this.note(record(this.gate, running.permit, observation, this.now, running.call));
  }

  private finish(how: 'release' | 'return', which: number): void {
    const [running] = this.live.splice(which % Math.max(this.live.length, 1), 1);
    if (running === undefined) return;
    this.orphans.delete(running.permit);
    this.note((how === 'release' ? release : returnPermit)(this.gate, running.permit, this.now));
  }

  private giveUp(which: number): void {
    const all = [...this.queue, ...this.woken];
    const waiting = all[which % Math.max(all.length, 1)];
    if (waiting === undefined) return;
    this.queue = this.queue.filter((other) => other !== waiting);
    if (this.woken.includes(waiting)) this.woken.splice(this.woken.indexOf(waiting), 1);
    this.note(cancelWait(this.gate, waiting.ticket));
  }

  /** Time passes, and the gate is asked whenever it wants to be. `look`: a share of the time until then, at which it has nothing to wake. */
  private pass(by: number, look: number): void {
    const end = this.now + by;
    for (let rounds = 0; ; rounds += 1) {
      const at = wakeAt(this.gate, this.now);
      this.checkBefore(Math.min(at ?? Infinity, end), look);
      if (at === undefined || at > end) break;
      promise(rounds < 500 + 3 * this.joined, 'the gate does not want to be asked in a loop');
      this.now = Math.max(this.now, at);
      const { woken } = wakeDueWaiters(this.gate, this.now);
      this.note({ transitions: [], woken });
      if (woken.length === 0) this.idleAlarms += 1;
      promise(this.idleAlarms <= this.joined, 'it wants to be asked for nothing once per call at most');
      const next = wakeAt(this.gate, this.now);
      promise(next === undefined || next > this.now, 'all that is due has been woken');
    }
    this.now = end;
    if (this.gate.adaptive === undefined) return;
    for (const { until = Infinity } of this.queue) promise(until > this.now, 'every call is woken by the end of its wait');
  }

  /** Nothing is due before the gate says so. */
  private checkBefore(end: number, look: number): void {
    const at = Math.min(this.now + look * (end - this.now), this.now + 1e9);
    if (this.queue.length === 0 || !(at > this.now && at < end)) return;
    const { woken } = wakeDueWaiters(structuredClone(this.gate), at);
    promise(woken.length === 0, 'nothing is due before the gate says so');
  }

  private comeBack(which: number, refused: boolean): void {
    const [waiting] = this.woken.splice(which % Math.max(this.woken.length, 1), 1);
    if (waiting !== undefined) this.admit(waiting, refused);
  }

  /** `refused`: by the fleet. */
  private admit(waiting: Waiting, refused: boolean): void {
    const { ticket, bornAt, until, failed } = waiting;
    const { gate, now } = this;
    const request: AdmissionRequest = {
      retry: failed !== undefined,
      bornAt,
      waitUntil: until,
      failed,
      attempts: failed === undefined ? 0 : 1,
      timeLimitMs: TIME_LIMIT_MS,
      ...(ticket === 0 ? {} : { ticket }),
    };
    const asksFleet = refused && gate.adaptive !== undefined && gate.breaker.state !== 'closed';
    const answer: Admission = asksFleet
      ? waitForFleet(gate, request, { code: 'CIRCUIT_OPEN', source: 'probe_in_progress', retryAfterMs: 200 }, now)
      : admit(gate, request, now);
    this.seen.add(answer.kind === 'wait' ? `wait:${answer.wait ?? 'slot'}` : answer.kind);
    if (answer.kind === 'refused') {
      const wait = answer.refusal.retryAfterMs;
      promise(wait === undefined || (Number.isSafeInteger(wait) && wait > 0), 'a wait is a positive whole number');
    }
    if (answer.kind === 'permit') {
      if (answer.permit.probe) this.seen.add('probe');
      this.live.push({ permit: answer.permit, call: waiting, startedAt: now });
    } else
      promise(
        !this.isFree() || failed !== undefined || ticket !== 0,
        'a first attempt starts at once while the tool is up and nothing limits it',
      );
    if (answer.kind !== 'wait') return;
    promise(until === undefined || until > now || gate.adaptive === undefined, 'no call waits whose time is over');
    this.joined += 1;
    this.queue.push({ ...waiting, ticket: answer.ticket });
  }

  private isFree(): boolean {
    const { adaptive, breaker } = this.gate;
    const { concurrency, rateLimit } = this.settings;
    const limited = concurrency !== undefined || rateLimit !== undefined || adaptive === undefined || adaptive.limit.limit < Infinity;
    return !limited && isUp(this.gate) && breaker.mode !== 'forced_open';
  }

  private note({ woken }: GateChange, switches = false): void {
    for (const ticket of woken) {
      const waiting = this.queue.find((other) => other.ticket === ticket);
      if (waiting === undefined) throw new Error('broken promise: only waiting calls are woken, and once');
      const state = this.gate.bulkhead.waiters.get(ticket)?.state ?? 'gone';
      this.seen.add(state);
      const { mode } = this.gate.breaker;
      const over = (waiting.until ?? Infinity) <= this.now || mode === 'forced_open' || switches || this.gate.adaptive === undefined;
      promise(state !== 'turned_away' || over, 'a call is turned away only when its time is over');
      this.queue = this.queue.filter((other) => other !== waiting);
      this.woken.push(waiting);
    }
  }

  private check(): void {
    const { gate, now } = this;
    const { bulkhead, breaker, adaptive } = gate;
    const states = this.woken.map(({ ticket }) => bulkhead.waiters.get(ticket)?.state);
    promise(bulkhead.queued === this.queue.length && bulkhead.line.heap.length === this.queue.length, 'every waiting call is in the line');
    promise(bulkhead.held === this.live.length, 'every permit is held');
    promise(bulkhead.orphaned === this.orphans.size, 'every orphan is counted');
    promise(
      bulkhead.reserved === states.filter((state) => state === 'slot_kept' || state === 'probe_kept').length,
      'every kept slot is counted',
    );
    this.slack = Math.min(this.slack, Math.max(0, bulkhead.held + bulkhead.reserved - bulkhead.limit));
    promise(bulkhead.held + bulkhead.reserved <= bulkhead.limit + this.slack, 'slots stay within the limit');
    const probes = this.live.filter(
      ({ permit }) =>
        permit.probe && !permit.recorded && permit.generation === breaker.generation && permit.probeNumber === breaker.probeNumber,
    );
    promise(probes.length <= 1 && (breaker.probeOut || probes.length === 0), 'one probe is out at a time');
    if (adaptive === undefined) return;
    const { pace, probeKept } = adaptive;
    const toProbe = states.filter((state) => state === 'probe_kept').length;
    promise(probeKept ? toProbe > 0 : toProbe === 0 || this.hasSwitched, 'the gate knows whether a call is to probe');
    promise(toProbe <= 1 || this.hasSwitched, 'one call is to probe');
    promise(pace.tokens >= 0 && pace.tokens <= 10, 'tokens stay within 0 and 10');
    promise(pace.gapMs >= 0 && pace.gapMs <= 60_000 && adaptive.limit.limit >= 1, 'mean gap and limit stay within their bounds');
    promise(health(gate, now).queued === this.queue.length, 'the health shows all waiting calls');
    const at = wakeAt(gate, now);
    promise((at === undefined) === (this.queue.length === 0), 'the gate wants to be asked while calls wait');
    const ends = Math.min(...this.queue.map(({ until = Infinity }) => until));
    promise(at === undefined || at <= ends, 'the gate wants to be asked at the end of a wait, or before');
    const isFree = isUp(gate) && hasFreeSlot(bulkhead) && (gate.limiter === undefined || limiterFreeAt(gate.limiter) <= now);
    const areCostly = bulkhead.line.heap.every(({ kind }) => kind === 'costly_retry');
    const silentUntil = pace.lastSentAt + (areCostly ? 1 + 12 / Math.max(1, pace.calls) : 1) * Math.max(1_000, 6 * pace.gapMs);
    promise(at === undefined || !isFree || at <= Math.max(now, silentUntil), 'the gate is never silent for long while calls wait');
  }
}

function promise(kept: boolean, what: string): void {
  if (!kept) throw new Error(`broken promise: ${what}`);
}
