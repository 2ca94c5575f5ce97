/**
 * Owns what drivers do at the tools' gates: admit, record, release, wake who waits, and tell transitions to the trace. The gates themselves are shared by all
 * turns of a service.
 */
import type { Admission, AdmissionRequest, CircuitTransition, Gate, GateChange, Permit, Refusal } from '../../engine/admission/types.ts';
import { admit, cancelWait, isProbeOut, markOrphaned, record, release, returnPermit, waitOut } from '../../engine/admission/gate.ts';
import { health } from '../../engine/admission/health.ts';
import { holdUntil } from '../../engine/admission/gate-control.ts';
import type { CircuitState } from '../../engine/breaker/types.ts';
import { circuitState } from '../../engine/breaker/breaker.ts';
import type { Assessment } from '../../engine/call/protocol.ts';
import { waitLeftMs } from '../../engine/call/remaining-wait.ts';
import type { AlternativeOption } from '../../engine/recover/decision.ts';
import type { Mutable } from '../../engine/plain/mutable.ts';
import type { GatedTool } from './tool-runtime.ts';
import type { CircuitLink } from '../../engine/ports/circuit-sharing.ts';
import type { TimerHandle } from '../../engine/ports/system.ts';
import { setAlarm, wakeWaiters, type WakingMachine } from './gate-alarm.ts';
import type { CallRun, Effect, Feed, Gates, Host, TimerPurpose } from './host.ts';
import { transitionEvent } from './transition-event.ts';

const none: readonly never[] = [];

export interface GatekeeperOptions {
  readonly runtimeOf: (toolName: string) => GatedTool | undefined;
  /** Tells the time, keeps the trace, and wakes gates at which calls wait. */
  readonly host: Pick<Host, 'moment' | 'now' | 'append' | 'clearTimer'> & {
    setTimer(delayMs: number, fire: () => void, purpose: Pick<TimerPurpose, 'background'>): TimerHandle;
  };
  /** Runs a task soon, outside the current step. */
  readonly defer: (task: () => void) => void;
  /** Where the circuits are shared with a fleet. */
  readonly sharing?: CircuitLink | undefined;
}

export class Gatekeeper implements Gates {
  readonly #options: GatekeeperOptions;
  readonly #machine: WakingMachine;

  constructor(options: GatekeeperOptions) {
    const { host, defer } = options;
    this.#options = options;
    this.#machine = {
      now: () => host.now(),
      setTimer: (delayMs, fire) => host.setTimer(delayMs, fire, gateAlarm),
      clearTimer: (handle) => host.clearTimer(handle),
      defer,
    };
  }

  admit(run: CallRun, effect: Effect<'admit'>, feed: Feed): void {
    this.#admit(run, effect, feed, this.#options.host.moment - (effect.ageMs ?? 0), undefined);
  }

  /** `bornAt`: when the call was submitted, on this clock; that of its turn may be another. */
  #admit(run: CallRun, effect: Effect<'admit'>, feed: Feed, bornAt: number, ticket: number | undefined): void {
    const { request, toolName, timeLimitMs } = effect;
    const runtime = this.#options.runtimeOf(toolName);
    if (!runtime) return;
    const now = this.#options.host.moment;
    const { sharing } = this.#options;
    const word =
      sharing !== undefined && runtime.gate.breaker.state !== 'closed'
        ? sharing.ask(runtime, now, timeLimitMs, () => this.#readmit(run, effect, feed, bornAt, ticket))
        : 'go_on';
    if (word === 'asked') return;
    const asked = this.#request(run, effect, runtime, ticket, bornAt);
    const answer = isNeedless(run, effect, runtime, now)
      ? needless
      : word === 'go_on'
        ? admit(runtime.gate, asked, now)
        : this.#turnAway(runtime, asked, word);
    if (answer.kind === 'permit') countHedge(run, effect, runtime, answer.permit);
    if (answer.kind === 'permit' && answer.earlierTransition) this.#tell(runtime, answer.earlierTransition, run);
    if (answer.transition) this.#tell(runtime, answer.transition, run);
    if (answer.kind === 'wait') {
      runtime.waiters.set(answer.ticket, () => this.#readmit(run, effect, feed, bornAt, answer.ticket));
    }
    setAlarm(runtime, this.#machine, now);
    if (answer.kind === 'permit' && answer.permit.probe) sharing?.probing(runtime, answer.permit, now);
    const hedgeAfterMs = this.#hedgeAfterMs(run, runtime);
    feed(run, { type: 'admission', request, toolName, answer, circuit: actingCircuit(runtime.gate, now), hedgeAfterMs });
  }

  #hedgeAfterMs({ state: { leg } }: CallRun, { gate, latency }: GatedTool): number | undefined {
    const { hedge, effect } = leg.settings;
    if (!hedge || effect !== 'read') return undefined;
    // Retries need the budget, and make the load, that second attempts would have.
    if ((gate.breaker.failureShare ?? 0) > MOST_FAILURES_TO_HEDGE) return undefined;
    if (hedge.afterMs !== 'p95') return hedge.afterMs;
    const p95 = latency.p95();
    if (p95 === undefined || gate.learned === undefined) return p95;
    return p95 < LEAST_HEDGED_MS ? undefined : Math.max(p95, SOONEST_HEDGE_MS);
  }

  #readmit(run: CallRun, effect: Effect<'admit'>, feed: Feed, bornAt: number, ticket: number | undefined): void {
    // Cancelled since: its ticket, if it had one, is spent.
    if (run.state.ticket !== ticket || run.settled || run.dead) return;
    this.#options.host.now();
    this.#admit(run, effect, feed, bornAt, ticket);
  }

  #request(run: CallRun, effect: Effect<'admit'>, runtime: GatedTool, ticket: number | undefined, bornAt: number): AdmissionRequest {
    const { request, retry, timeLimitMs, ageMs, turnLeftMs } = effect;
    const { hedging, leg } = run.state;
    const { waitForRecovery } = leg.settings;
    if (!waitForRecovery) return { retry, timeLimitMs, ticket };
    // A second attempt beside a slow one waits for nothing: its wait is over before it begins, so that it pays for none.
    if (hedging === request || ageMs === undefined) return { retry, timeLimitMs, ticket, waitUntil: bornAt };
    if (this.#hasAlternative(run)) return { retry, timeLimitMs, ticket, bornAt };
    const { maxWaitMs } = waitForRecovery;
    return {
      retry,
      timeLimitMs,
      ticket,
      bornAt,
      waitUntil: bornAt + ageMs + waitLeftMs({ ageMs, turnLeftMs, maxWaitMs, marginMs: marginOf(runtime) }),
    };
  }

  /** Another tool would serve now: then nobody waits for this one. */
  #hasAlternative({ state: { spec, leg, usedAlternatives } }: CallRun): boolean {
    const alternatives = spec.settingsOf(spec.toolName)?.alternatives;
    if (alternatives === undefined || alternatives.length === 0) return false;
    const now = this.#options.host.moment;
    return alternatives.some(
      (name) =>
        name !== spec.toolName && name !== leg.toolName && !usedAlternatives.includes(name) && this.#alternative(name, now).available,
    );
  }

  /** Another call is asking the fleet for the probe right now. */
  #turnAway(runtime: GatedTool, asked: AdmissionRequest, refusal: Refusal): Admission {
    if (asked.waitUntil !== undefined) return waitOut(runtime.gate, asked, refusal, this.#options.host.moment);
    if (asked.ticket !== undefined) this.#wake(runtime, cancelWait(runtime.gate, asked.ticket));
    return { kind: 'refused', refusal };
  }

  cancelWait({ toolName, ticket }: Effect<'cancel_wait'>): void {
    const runtime = this.#options.runtimeOf(toolName);
    if (!runtime) return;
    runtime.waiters.delete(ticket);
    this.#wake(runtime, cancelWait(runtime.gate, ticket));
  }

  record(run: CallRun, { toolName, permit, observation, answer }: Effect<'record'>, feed: Feed): void {
    const runtime = this.#options.runtimeOf(toolName);
    if (!runtime) return;
    if (observation.outcome === 'success') {
      if (runtime.hedges.permits.has(permit) && observation.durationMs <= (runtime.latency.p95() ?? 0)) earnHedges(runtime.hedges, 1);
      runtime.latency.observe(observation.durationMs);
    }
    const change = record(runtime.gate, permit, observation, this.#options.host.moment);
    if (change.transitions.length > 0) for (const transition of change.transitions) this.#tell(runtime, transition, run);
    this.#wake(runtime, change);
    if (permit.probe || observation.retryAfterMs !== undefined || change.transitions.length > 0)
      this.#options.sharing?.ended(runtime, permit, observation.outcome);
    if (answer) feed(run, { type: 'assessed', assessment: this.#assess(runtime, run) });
  }

  observe(run: CallRun, { toolName }: Effect<'observe'>, feed: Feed): void {
    const runtime = this.#options.runtimeOf(toolName);
    feed(run, { type: 'assessed', assessment: runtime ? this.#assess(runtime, run) : { circuit: 'closed', alternatives: [] } });
  }

  hold({ toolName, holdMs }: Effect<'hold'>): void {
    const runtime = this.#options.runtimeOf(toolName);
    if (!runtime) return;
    const now = this.#options.host.moment;
    this.#wake(runtime, holdUntil(runtime.gate, now + holdMs, now));
    this.#options.sharing?.held(runtime);
  }

  orphan({ toolName, permit }: Effect<'orphan'>): void {
    const runtime = this.#options.runtimeOf(toolName);
    if (runtime) markOrphaned(runtime.gate, permit);
  }

  release({ toolName, permit }: Effect<'release'>): void {
    const runtime = this.#options.runtimeOf(toolName);
    if (runtime) this.#giveBack(runtime, permit, release);
  }

  returnPermit({ toolName, permit }: Effect<'return_permit'>): void {
    const runtime = this.#options.runtimeOf(toolName);
    if (runtime) this.#giveBack(runtime, permit, returnPermit);
  }

  #giveBack(runtime: GatedTool, permit: Permit, give: typeof release): void {
    const isUnused = permit.probe && !permit.recorded;
    this.#wake(runtime, give(runtime.gate, permit, this.#options.host.moment));
    if (isUnused) this.#options.sharing?.ended(runtime, permit, 'neutral');
  }

  #assess(runtime: GatedTool, run: CallRun): Assessment {
    const { spec, leg } = run.state;
    const waits = leg.settings.waitForRecovery !== undefined && leg.settings.waitForRecovery !== false;
    // The alternatives are those of the tool that was asked for, also while one of them is tried.
    const alternatives = spec.settingsOf(spec.toolName)?.alternatives ?? [];
    const now = this.#options.host.moment;
    const state = health(runtime.gate, now);
    // How long a probe takes nobody knows, so a call that waits reckons with no time.
    const isProbed = waits && isProbeOut(runtime.gate, now);
    return {
      circuit: isProbed ? 'half_open' : actingCircuit(runtime.gate, now),
      retryAfterMs: state.circuit === 'closed' ? undefined : state.retryAfterMs,
      retryBudgetLeft: state.retryBudgetLeft,
      waitMarginMs: waits ? marginOf(runtime) : undefined,
      heldMs: waits && !isProbed ? state.retryAfterMs : undefined,
      alternatives: alternatives.length === 0 ? none : alternatives.map((name) => this.#alternative(name, now)),
    };
  }

  #alternative(name: string, now: number): AlternativeOption {
    const runtime = this.#options.runtimeOf(name);
    if (!runtime) return { toolName: name, circuit: 'closed', available: false };
    const circuit = actingCircuit(runtime.gate, now);
    const option: Mutable<AlternativeOption> = {
      toolName: name,
      circuit: circuit,
      available: runtime.enabled && circuit !== 'open',
    };
    const { learned, breaker } = runtime.gate;
    if (learned !== undefined) {
      option.failureShare = breaker.failureShare ?? 0;
      if (learned.usualMs > 0) option.latencyMs = learned.usualMs;
    }
    return option;
  }

  #wake(runtime: GatedTool, change: GateChange): void {
    if (change.woken.length > 0) wakeWaiters(runtime, change, this.#machine, this.#options.host.moment);
    else setAlarm(runtime, this.#machine, this.#options.host.moment);
  }

  /** A call waits out a delay before a retry. */
  fallAsleep(run: CallRun, wake: () => void): void {
    this.#options.runtimeOf(run.state.leg.toolName)?.sleepers.set(run, wake);
  }

  awake(run: CallRun): void {
    this.#options.runtimeOf(run.state.leg.toolName)?.sleepers.delete(run);
  }

  #tell(runtime: GatedTool, transition: CircuitTransition, run: CallRun): void {
    if (transition.to === 'open') for (const wake of runtime.sleepers.values()) this.#options.defer(wake);
    this.#options.host.append(run.trace, transitionEvent(runtime.name, transition, run.state.spec.callKey));
  }
}

const needless: Admission = { kind: 'refused', refusal: { code: 'BULKHEAD_FULL', source: 'bulkhead' } };

/** A second attempt is no probe, and takes nobody's place: it would be one more of what the tool has too much of. */
function isNeedless({ state: { hedging, leg } }: CallRun, { request }: Effect<'admit'>, { gate, hedges }: GatedTool, now: number): boolean {
  if (hedging !== request || !leg.settings.waitForRecovery) return false;
  return gate.bulkhead.queued > 0 || actingCircuit(gate, now) !== 'closed' || hedges.credit < 1;
}

/**
 * One call in twenty is as slow as that when nothing is wrong. More of them get a second attempt only while those come back as fast as usual, as beside one slow replica
 * of many: where everything is slow they would be one more of what the tool has too much of.
 */
function countHedge({ state: { hedging } }: CallRun, { request }: Effect<'admit'>, { hedges }: GatedTool, permit: Permit): void {
  if (hedging !== request) return earnHedges(hedges, HEDGED_SHARE);
  // Where calls do not wait nobody asks for credit, and none is owed for that later.
  hedges.credit = Math.max(hedges.credit - 1, 0);
  hedges.permits.add(permit);
}

function earnHedges(hedges: GatedTool['hedges'], many: number): void {
  hedges.credit = Math.min(hedges.credit + many, MOST_HEDGE_CREDIT);
}

const HEDGED_SHARE = 0.05;
/** So many at once, after others were fast. */
const MOST_HEDGE_CREDIT = 5;

/** As it acts on calls: a mode that a person set outranks what was counted. */
function actingCircuit({ breaker, latest }: Gate, now: number): CircuitState {
  return breaker.mode === 'shadow' ? 'closed' : circuitState(breaker, now > latest ? now : latest);
}

/** The usual share of failures, where it is learned, up to which slow attempts get a second one. */
const MOST_FAILURES_TO_HEDGE = 0.1;
/** Nobody gains by less, and a timer that is due at once costs more than the call. */
const SOONEST_HEDGE_MS = 10;
/** What usually answers sooner works in this process, and a second attempt would meet whatever the first does. */
const LEAST_HEDGED_MS = 1;

/** Calls wait for it, so it keeps the process alive. */
const gateAlarm = { background: false } as const;

/** What is left of the turn when a wait ends is enough for an attempt that takes longer than usual. */
const MARGIN_FACTOR = 5;
const LEAST_MARGIN_MS = 1_000;

function marginOf({ gate }: GatedTool): number {
  return Math.max(LEAST_MARGIN_MS, MARGIN_FACTOR * (gate.learned?.usualMs ?? 0));
}
