/**
 * Owns what drivers do at the tools' gates: admit, record, release, wake who waits, and tell transitions to the trace. The gates themselves are shared by all
 * turns of a service.
 */
import type { Admission, CircuitTransition, Gate, GateChange, Permit, Refusal } from '../admission/index.ts';
import { admit, cancelWait, health, markOrphaned, record, release, returnPermit } from '../admission/index.ts';
import type { CircuitState } from '../breaker/index.ts';
import { circuitState } from '../breaker/index.ts';
import type { Assessment } from '../call/protocol.ts';
import type { AlternativeOption } from '../recover/decision.ts';
import type { GatedTool } from './tool-runtime.ts';
import type { TraceEventBody } from '../trace/events.ts';
import type { CircuitLink } from '../ports/circuit-sharing.ts';
import type { CallRun, Effect, Feed, Gates, Host } from './host.ts';

const none: readonly never[] = [];

export interface GatekeeperOptions {
  readonly runtimeOf: (toolName: string) => GatedTool | undefined;
  /** Tells the time and keeps the trace. */
  readonly host: Pick<Host, 'moment' | 'now' | 'append'>;
  /** Runs a task soon, outside the current step. */
  readonly defer: (task: () => void) => void;
  /** Where the circuits are shared with a fleet. */
  readonly sharing?: CircuitLink | undefined;
}

export class Gatekeeper implements Gates {
  readonly #options: GatekeeperOptions;

  constructor(options: GatekeeperOptions) {
    this.#options = options;
  }

  admit(run: CallRun, effect: Effect<'admit'>, feed: Feed, ticket?: number): void {
    const { request, toolName, retry, timeLimitMs } = effect;
    const runtime = this.#options.runtimeOf(toolName);
    if (!runtime) return;
    const now = this.#options.host.moment;
    const { sharing } = this.#options;
    const word =
      sharing !== undefined && runtime.gate.breaker.state !== 'closed'
        ? sharing.ask(runtime, now, timeLimitMs, () => this.#readmit(run, effect, feed, ticket))
        : 'go_on';
    if (word === 'asked') return;
    const answer = word === 'go_on' ? admit(runtime.gate, { retry, timeLimitMs, ticket }, now) : this.#turnAway(runtime, word, ticket);
    if (answer.kind === 'permit' && answer.earlierTransition) this.#tell(runtime, answer.earlierTransition, run);
    if (answer.transition) this.#tell(runtime, answer.transition, run);
    if (answer.kind === 'wait') {
      runtime.waiters.set(answer.ticket, () => this.#readmit(run, effect, feed, answer.ticket));
    }
    if (answer.kind === 'permit' && answer.permit.probe) sharing?.probing(runtime, answer.permit, now);
    const { hedge, effect: toolEffect } = run.state.leg.settings;
    const hedgeAfterMs = hedge && toolEffect === 'read' ? (hedge.afterMs === 'p95' ? runtime.latency.p95() : hedge.afterMs) : undefined;
    feed(run, { type: 'admission', request, toolName, answer, circuit: actingCircuit(runtime.gate, now), hedgeAfterMs });
  }

  #readmit(run: CallRun, effect: Effect<'admit'>, feed: Feed, ticket: number | undefined): void {
    // Cancelled since: its ticket, if it had one, is spent.
    if (run.state.ticket !== ticket || run.settled || run.dead) return;
    this.#options.host.now();
    this.admit(run, effect, feed, ticket);
  }

  /** Another call is asking the fleet for the probe right now. */
  #turnAway(runtime: GatedTool, refusal: Refusal, ticket: number | undefined): Admission {
    if (ticket !== undefined) this.#wake(runtime, cancelWait(runtime.gate, ticket));
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

  #assess(runtime: GatedTool, { state: { spec } }: CallRun): Assessment {
    // The alternatives are those of the tool that was asked for, also while one of them is tried.
    const alternatives = spec.settingsOf(spec.toolName)?.alternatives ?? [];
    const now = this.#options.host.moment;
    const state = health(runtime.gate, now);
    return {
      circuit: actingCircuit(runtime.gate, now),
      retryAfterMs: state.circuit === 'closed' ? undefined : state.retryAfterMs,
      retryBudgetLeft: state.retryBudgetLeft,
      alternatives: alternatives.length === 0 ? none : alternatives.map((name) => this.#alternative(name, now)),
    };
  }

  #alternative(name: string, now: number): AlternativeOption {
    const runtime = this.#options.runtimeOf(name);
    if (!runtime) return { tool_id: name, circuit_breaker_state: 'closed', available: false };
    const circuit = actingCircuit(runtime.gate, now);
    return { tool_id: name, circuit_breaker_state: circuit, available: runtime.enabled && circuit !== 'open' };
  }

  #wake(runtime: GatedTool, change: GateChange): void {
    if (change.woken.length > 0) wakeWaiters(runtime, change, this.#options.defer);
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

/** As it acts on calls: a mode that a person set outranks what was counted. */
function actingCircuit({ breaker, latest }: Gate, now: number): CircuitState {
  return breaker.mode === 'shadow' ? 'closed' : circuitState(breaker, now > latest ? now : latest);
}

/** Lets those go on who waited at a gate that changed. */
export function wakeWaiters({ waiters }: GatedTool, { woken }: GateChange, defer: (task: () => void) => void): void {
  for (const ticket of woken) {
    const waiter = waiters.get(ticket);
    waiters.delete(ticket);
    if (waiter) defer(waiter);
  }
}

/** How a transition stands in the trace (S1 3.1: `Circuit breaker opened for flight_search`). `callKey`: the call that brought it about, if one did. */
export function transitionEvent(
  toolName: string,
  { to, reason, failureCount, openForMs }: CircuitTransition,
  callKey?: string,
): TraceEventBody {
  const common = { tool_id: toolName, reason, ...(callKey === undefined ? {} : { call_id: callKey }) };
  switch (to) {
    case 'open':
      return {
        event_type: 'CircuitBreakerOpened',
        ...common,
        message: `Circuit breaker opened for ${toolName}`,
        failure_count: failureCount,
        ...(openForMs !== undefined && Number.isFinite(openForMs) ? { open_for_ms: openForMs } : {}),
      };
    case 'half_open':
      return { event_type: 'CircuitBreakerHalfOpened', ...common, message: `Circuit breaker half-opened for ${toolName}` };
    case 'closed':
      return { event_type: 'CircuitBreakerClosed', ...common, message: `Circuit breaker closed for ${toolName}` };
  }
}
