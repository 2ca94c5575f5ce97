/**
 * Owns the drivers' operations at the tools' gates: admit, record, release, wake waiters, and trace transitions. The gates themselves are shared by all
 * turns of a service.
 */
import type { Admission, AdmissionRequest, CircuitTransition, GateChange, Permit, Refusal } from '../../engine/admission/types.ts';
import { isUp } from '../../engine/admission/adaptive/adaptive.ts';
import {
  admit,
  cancelWait,
  isProbeOut,
  markOrphaned,
  record,
  release,
  returnPermit,
  waitForFleet,
  wakeDueWaiters,
} from '../../engine/admission/gate.ts';
import { hedgeDelayMs, mayHedge } from '../../engine/admission/hedging.ts';
import { actingCircuit, health } from '../../engine/admission/health.ts';
import { heldMs } from '../../engine/breaker/breaker.ts';
import { takeChanges } from '../../engine/breaker/transition.ts';
import { holdUntil } from '../../engine/admission/gate-control.ts';
import type { Assessment } from '../../engine/call/protocol.ts';
import { waitLeftMs, type FailuresInARow } from '../../engine/call/remaining-wait.ts';
import type { AlternativeOption } from '../../engine/recover/decision.ts';
import type { Mutable } from '../../engine/plain/mutable.ts';
import type { GatedTool, ToolGate } from './tool-runtime.ts';
import type { CircuitLink } from '../../engine/ports/circuit-sharing.ts';
import type { TimerHandle } from '../../engine/ports/system.ts';
import { endDelays, setAlarm, wakeWaiters, type AlarmSystem } from './gate-alarm.ts';
import type { CallRun, Effect, Feed, Gates, Host, TimerPurpose } from './host.ts';
import { transitionEvent } from './transition-event.ts';

const none: readonly never[] = [];

export interface ToolGatesOptions {
  readonly runtimeOf: (toolName: string) => GatedTool | undefined;
  /** Clock, trace and timers. */
  readonly host: Pick<Host, 'moment' | 'now' | 'append' | 'clearTimer'> & {
    setTimer(delayMs: number, fire: () => void, purpose: Pick<TimerPurpose, 'background'>): TimerHandle;
  };
  /** Runs a task soon, outside the current step. */
  readonly defer: (task: () => void) => void;
  /** Set when circuits are shared with a fleet. */
  readonly sharing?: CircuitLink | undefined;
}

export class ToolGates implements Gates {
  readonly #options: ToolGatesOptions;
  readonly #machine: AlarmSystem;

  constructor(options: ToolGatesOptions) {
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

  /** `bornAt`: when the call was submitted, on this clock; its turn's clock may be another. */
  #admit(run: CallRun, effect: Effect<'admit'>, feed: Feed, bornAt: number, ticket: number | undefined): void {
    const { request, toolName, timeLimitMs } = effect;
    const runtime = this.#options.runtimeOf(toolName);
    if (!runtime) return;
    const now = this.#options.host.moment;
    const { sharing } = this.#options;
    const fleet =
      sharing !== undefined && runtime.gate.breaker.state !== 'closed'
        ? sharing.ask(runtime, now, timeLimitMs, () => this.#readmit(run, effect, feed, bornAt, ticket))
        : 'continue';
    if (fleet === 'asked') return;
    const asked = this.#request(run, effect, runtime, ticket, bornAt);
    const isHedge = run.state.hedgeRequest === request;
    const isRefused = isHedge && run.state.target.settings.waitForRecovery && !mayHedge(runtime.gate, now);
    const answer = isRefused
      ? hedgeRefused
      : fleet === 'continue'
        ? admit(runtime.gate, asked, now)
        : this.#deferToFleet(runtime, asked, fleet);
    this.#traceTransitions(runtime, takeChanges(runtime.gate.breaker), run);
    if (answer.kind === 'wait') {
      runtime.waiters.set(answer.ticket, () => this.#readmit(run, effect, feed, bornAt, answer.ticket));
    }
    setAlarm(runtime, this.#machine, now);
    if (answer.kind === 'permit' && answer.permit.probe) sharing?.probing(runtime, answer.permit, now);
    const { hedge, effect: toolEffect } = run.state.target.settings;
    const hedgeAfterMs = hedge && toolEffect === 'read' ? hedgeDelayMs(runtime.latency, hedge, runtime.gate) : undefined;
    const circuit = actingCircuit(runtime.gate, now);
    const held = answer.kind === 'permit' ? undefined : heldMs(runtime.gate.breaker, now);
    feed(run, { type: 'admission', request, toolName, answer: marked(answer, runtime), circuit, heldMs: held, hedgeAfterMs });
  }

  #readmit(run: CallRun, effect: Effect<'admit'>, feed: Feed, bornAt: number, ticket: number | undefined): void {
    // Cancelled meanwhile: its ticket, if it had one, was returned.
    if (run.state.ticket !== ticket || run.settled || run.crashed) return;
    this.#options.host.now();
    this.#admit(run, effect, feed, bornAt, ticket);
  }

  #request(run: CallRun, effect: Effect<'admit'>, runtime: GatedTool, ticket: number | undefined, bornAt: number): AdmissionRequest {
    const { request, retry, timeLimitMs, ageMs, turnLeftMs, attempts, failed } = effect;
    const { hedgeRequest, target } = run.state;
    const { waitForRecovery } = target.settings;
    if (!waitForRecovery) return { retry, timeLimitMs, ticket };
    // A hedge never waits: its wait is over before it begins, so that it pays nothing. Nor does the one repetition of a failure that shows nothing about the tool.
    if (hedgeRequest === request || failed?.unknown || ageMs === undefined)
      return { retry, timeLimitMs, ticket, waitUntil: bornAt, hedge: hedgeRequest === request };
    if (this.#hasAlternative(run)) return { retry, timeLimitMs, ticket, bornAt };
    const { maxWaitMs } = waitForRecovery;
    return {
      retry,
      timeLimitMs,
      ticket,
      bornAt,
      attempts,
      failed,
      waitUntil:
        bornAt +
        ageMs +
        waitLeftMs({
          ageMs,
          turnLeftMs,
          maxWaitMs,
          usualMs: retry || !isUp(runtime.gate) ? usualMsOf(runtime) : undefined,
          failures: failuresOf(runtime, bornAt + ageMs),
        }),
      // As without the layer, a first attempt waits for a slot as long as its turn lasts.
      slotUntil: retry ? undefined : bornAt + ageMs + (turnLeftMs ?? Infinity),
    };
  }

  /** Whether another tool is available now: then the call does not wait for this one. */
  #hasAlternative({ state: { spec, target, usedAlternatives } }: CallRun): boolean {
    const alternatives = spec.settingsOf(spec.toolName)?.alternatives;
    if (alternatives === undefined || alternatives.length === 0) return false;
    const now = this.#options.host.moment;
    return alternatives.some(
      (name) =>
        name !== spec.toolName && name !== target.toolName && !usedAlternatives.includes(name) && this.#alternative(name, now).available,
    );
  }

  /** Another call is asking the fleet for the probe right now. */
  #deferToFleet(runtime: GatedTool, asked: AdmissionRequest, refusal: Refusal): Admission {
    if (asked.waitUntil !== undefined) return waitForFleet(runtime.gate, asked, refusal, this.#options.host.moment);
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
    if (observation.outcome === 'success') runtime.latency.observe(observation.durationMs);
    const change = record(runtime.gate, permit, observation, this.#options.host.moment, run.state.spec);
    this.#traceTransitions(runtime, change.transitions, run);
    this.#wake(runtime, change);
    if (permit.probe || observation.retryAfterMs !== undefined || change.transitions.length > 0)
      this.#options.sharing?.ended(runtime, permit, observation.outcome);
    if (answer) feed(run, { type: 'assessed', assessment: this.#assess(runtime, run) });
  }

  observe(run: CallRun, { toolName }: Effect<'observe'>, feed: Feed): void {
    const runtime = this.#options.runtimeOf(toolName);
    feed(run, { type: 'assessed', assessment: runtime ? this.#assess(runtime, run) : { circuit: 'closed', alternatives: [] } });
  }

  hold({ toolName, holdMs, durationMs }: Effect<'hold'>): void {
    const runtime = this.#options.runtimeOf(toolName);
    if (!runtime) return;
    const now = this.#options.host.moment;
    this.#wake(runtime, holdUntil(runtime.gate, now + holdMs, now, now - durationMs));
    this.#options.sharing?.held(runtime);
  }

  orphan({ toolName, permit }: Effect<'orphan'>): void {
    const runtime = this.#options.runtimeOf(toolName);
    if (runtime) markOrphaned(runtime.gate, permit);
  }

  release({ toolName, permit }: Effect<'release'>): void {
    const runtime = this.#options.runtimeOf(toolName);
    if (runtime) this.#returnSlot(runtime, permit, release);
  }

  returnPermit({ toolName, permit }: Effect<'return_permit'>): void {
    const runtime = this.#options.runtimeOf(toolName);
    if (runtime) this.#returnSlot(runtime, permit, returnPermit);
  }

  #returnSlot(runtime: GatedTool, permit: Permit, give: typeof release): void {
    const isUnused = permit.probe && !permit.recorded;
    const now = this.#options.host.moment;
    const { gate, peers } = runtime;
    const { limit, slots } = gate.bulkhead;
    // The slot goes to the partition whose turn it is.
    const isShared = peers.size > 1 && limit < Infinity;
    if (isShared) slots.taken += 1;
    this.#wake(runtime, give(gate, permit, now));
    if (isShared) {
      slots.taken -= 1;
      this.#wakePeers(peers);
    }
    if (isUnused) this.#options.sharing?.ended(runtime, permit, 'neutral');
  }

  #assess(runtime: GatedTool, run: CallRun): Assessment {
    const { spec, target } = run.state;
    const waits = target.settings.waitForRecovery !== undefined && target.settings.waitForRecovery !== false;
    // The alternatives are those of the requested tool, also while one of them is tried.
    const alternatives = spec.settingsOf(spec.toolName)?.alternatives ?? [];
    const now = this.#options.host.moment;
    const state = health(runtime.gate, now);
    // The duration of a probe is unknown, so a waiting call assumes none.
    const isProbed = waits && isProbeOut(runtime.gate, now);
    return {
      circuit: isProbed ? 'half_open' : actingCircuit(runtime.gate, now),
      retryAfterMs: state.circuit === 'closed' ? undefined : state.retryAfterMs,
      // Where calls wait for recovery, a retry without tokens waits for them.
      retryBudgetLeft: runtime.gate.budget === undefined ? undefined : state.retryBudgetLeft,
      usualMs: waits ? usualMsOf(runtime) : undefined,
      failures: waits ? failuresOf(runtime, now) : undefined,
      heldMs: !waits ? state.heldMs : isProbed ? undefined : state.retryAfterMs,
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
    const { adaptive, breaker } = runtime.gate;
    const held = heldMs(breaker, now);
    if (held !== undefined) option.heldMs = held;
    if (adaptive !== undefined) {
      option.failureShare = adaptive.failureShare;
      if (adaptive.durations.usualMs > 0) option.latencyMs = adaptive.durations.usualMs;
    }
    return option;
  }

  #wake(runtime: ToolGate, change: GateChange): void {
    if (change.woken.length > 0) wakeWaiters(runtime, change, this.#machine, this.#options.host.moment);
    else setAlarm(runtime, this.#machine, this.#options.host.moment);
  }

  #wakePeers(peers: GatedTool['peers']): void {
    for (const peer of peers.values())
      if (peer.gate.bulkhead.queued > 0) this.#wake(peer, wakeDueWaiters(peer.gate, this.#options.host.moment));
  }

  /** A call waits for the delay before a retry. */
  delayStarted(run: CallRun, wake: () => void): void {
    this.#options.runtimeOf(run.state.target.toolName)?.delayedCalls.set(run, wake);
  }

  delayEnded(run: CallRun): void {
    this.#options.runtimeOf(run.state.target.toolName)?.delayedCalls.delete(run);
  }

  #traceTransitions(runtime: GatedTool, transitions: readonly CircuitTransition[], run: CallRun): void {
    for (const transition of transitions) {
      endDelays(runtime, transition, this.#options.defer);
      this.#options.host.append(run.trace, transitionEvent(runtime, transition, run.state.spec.callKey));
    }
  }
}

/** A refusal of a partition's gate is no sign of the tool's own. */
function marked(answer: Admission, { partition }: ToolGate): Admission {
  return partition && answer.kind === 'refused' ? { ...answer, refusal: { ...answer.refusal, partition } } : answer;
}

const hedgeRefused: Admission = { kind: 'refused', refusal: { code: 'BULKHEAD_FULL', source: 'bulkhead' } };

/** Calls wait for this timer, so it keeps the process alive. */
const gateAlarm = { background: false } as const;

function failuresOf({ gate: { adaptive } }: GatedTool, now: number): FailuresInARow | undefined {
  const [first] = adaptive?.failed.calls ?? [];
  return adaptive && first && { beganMs: now - first.at, spanMs: adaptive.failed.latestAt - first.at };
}

function usualMsOf({ gate }: GatedTool): number {
  return gate.adaptive?.durations.usualMs ?? 0;
}
