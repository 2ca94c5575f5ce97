import { control } from '../../../../src/engine/admission/gate-control.ts';
import { admit, record, release, wakeAt, wakeDueWaiters } from '../../../../src/engine/admission/gate.ts';
import { Gate } from '../../../../src/engine/admission/gate-state.ts';
import { health } from '../../../../src/engine/admission/health.ts';
import type {
  Admission,
  FailedBefore,
  GateChange,
  GateSettings,
  Observation,
  OutcomeKind,
  Permit,
  Refusal,
  ToolHealth,
} from '../../../../src/engine/admission/types.ts';
import type { Adaptive } from '../../../../src/engine/admission/adaptive/state.ts';
import { takeChanges } from '../../../../src/engine/breaker/transition.ts';
import type { CircuitCommand, CircuitTransition } from '../../../../src/engine/breaker/types.ts';

export interface Asked {
  readonly retry?: boolean;
  readonly hedge?: boolean;
  readonly ticket?: number;
  readonly attempts?: number;
  /** How the attempt before a retry failed. */
  readonly failed?: Partial<FailedBefore>;
  readonly bornAt?: number;
  /** How long the call may wait; `false`: not at all. @default a minute */
  readonly waitMs?: number | false;
  /** How long it may wait for a slot or a rate limit. @default as `waitMs` */
  readonly slotMs?: number;
  readonly timeLimitMs?: number;
}

export interface Attempt {
  readonly permit: Permit;
  readonly call: object;
  readonly startedAt: number;
}

export interface Ended {
  readonly transitions: readonly CircuitTransition[];
  /** Tickets. */
  readonly woken: readonly number[];
}

/** The breaker of profile `adaptive`. */
export const adaptiveBreaker = { failureThreshold: 5, openMs: 500, probeLeaseMs: 10_000 } as const;

/** Time starts late, so that nothing depends on times near 0. */
const BEGIN = 1_000_000;

/** A gate whose calls wait for recovery, with a clock that is turned by hand. */
export class AdaptiveGate {
  readonly gate: Gate;
  now = BEGIN;
  /** What the latest request has changed in the circuit. */
  asked: readonly CircuitTransition[] = [];

  constructor(settings: Partial<GateSettings> = {}) {
    this.gate = new Gate({ breaker: adaptiveBreaker, waitForRecovery: true, ...settings });
  }

  get adaptive(): Adaptive {
    const { adaptive } = this.gate;
    if (adaptive === undefined) throw new Error('calls do not wait at this gate');
    return adaptive;
  }

  get health(): ToolHealth {
    return health(this.gate, this.now);
  }

  get wakeAt(): number | undefined {
    return wakeAt(this.gate, this.now);
  }

  ask({ waitMs = 60_000, slotMs, failed, retry = failed !== undefined, ...more }: Asked = {}): Admission {
    const bornAt = more.bornAt ?? this.now;
    const answer = admit(
      this.gate,
      {
        retry,
        ...more,
        bornAt,
        ...(failed === undefined ? {} : { failed: { startedAt: -Infinity, timedOut: false, unknown: false, down: false, ...failed } }),
        ...(waitMs === false ? {} : { waitUntil: this.now + waitMs }),
        ...(slotMs === undefined ? {} : { slotUntil: this.now + slotMs }),
      },
      this.now,
    );
    this.asked = takeChanges(this.gate.breaker);
    return answer;
  }

  start(asked: Asked = {}, call: object = {}): Attempt {
    const answer = this.ask(asked);
    if (answer.kind !== 'permit') throw new Error(`no permit: ${JSON.stringify(answer)}`);
    return { permit: answer.permit, call, startedAt: this.now };
  }

  /** Its recent successes took much longer than usual. */
  overload(): this {
    this.adaptive.durations.recentSuccessMs = 10 * this.adaptive.durations.usualMs;
    return this;
  }

  /** A probe, as soon as the open period is over. */
  probe(): Attempt {
    this.now = Math.max(this.now, this.gate.breaker.openUntil);
    const attempt = this.start();
    if (!attempt.permit.probe) throw new Error('the attempt is no probe');
    return attempt;
  }

  /** Its ticket. */
  wait(asked: Asked = {}): number {
    const answer = this.ask(asked);
    if (answer.kind !== 'wait') throw new Error(`it does not wait: ${JSON.stringify(answer)}`);
    return answer.ticket;
  }

  refusal(asked: Asked = {}): Refusal {
    const answer = this.ask(asked);
    if (answer.kind !== 'refused') throw new Error(`not refused: ${JSON.stringify(answer)}`);
    return answer.refusal;
  }

  end({ permit, call, startedAt }: Attempt, outcome: OutcomeKind, more: Partial<Observation> = {}): Ended {
    const recorded = record(this.gate, permit, { outcome, durationMs: this.now - startedAt, ...more }, this.now, call);
    const released = release(this.gate, permit, this.now);
    return {
      transitions: [...recorded.transitions, ...released.transitions],
      woken: [...recorded.woken, ...released.woken],
    };
  }

  /** One attempt that takes so long. */
  run(outcome: OutcomeKind, durationMs = 10, more: Partial<Observation> = {}, call: object = {}): Ended {
    const attempt = this.start({}, call);
    this.now += durationMs;
    return this.end(attempt, outcome, more);
  }

  /** Healthy calls, evenly spaced: the tool's usual duration and this process's rate are known afterwards. */
  warmUp({ calls = 100, gapMs = 100, durationMs = 10 } = {}): this {
    for (let nth = 0; nth < calls; nth += 1) {
      const next = this.now + gapMs;
      this.run('success', durationMs);
      this.now = next;
    }
    return this;
  }

  /** Different calls fail until the circuit opens, the quiet second after the latest success included. */
  breakDown(more: Partial<Observation> = {}, gapMs = 0): this {
    this.now += 1_000;
    for (let nth = 0; nth < 5; nth += 1) {
      this.now += gapMs;
      this.run('transient', 1, more);
    }
    if (this.health.circuit === 'closed') throw new Error('five calls have failed, and the circuit is closed');
    return this;
  }

  /** The tool is down, and no probe starts before `bringBack`. */
  keepDown(more: Partial<Observation> = {}): this {
    this.breakDown(more).gate.breaker.openUntil = Infinity;
    return this;
  }

  /** A probe that is none of the waiting calls succeeds. */
  bringBack(): Ended {
    this.gate.breaker.openUntil = this.now;
    return this.end(this.start(), 'success');
  }

  /** Time passes, and the gate is asked to wake its waiters whenever it wants to be. Returns the tickets with the time at which each was woken. */
  pass(milliseconds: number): readonly { readonly ticket: number; readonly at: number }[] {
    const end = this.now + milliseconds;
    const woken: { readonly ticket: number; readonly at: number }[] = [];
    for (let at = this.wakeAt; at !== undefined && at <= end; at = this.wakeAt) {
      this.now = Math.max(this.now, at);
      for (const ticket of this.wake()) woken.push({ ticket, at: this.now });
      if ((this.wakeAt ?? Infinity) <= this.now) throw new Error(`the gate wants to wake calls at ${this.now} again`);
    }
    this.now = end;
    return woken;
  }

  /** Wakes what is due now. */
  wake(): readonly number[] {
    return wakeDueWaiters(this.gate, this.now).woken;
  }

  order(command: CircuitCommand): GateChange {
    return control(this.gate, command, this.now);
  }
}
