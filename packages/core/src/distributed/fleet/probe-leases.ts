/**
 * Owns the fleet's probe at one worker: requested before a local probe, and reported as soon as that has ended.
 *
 * 1. One request at a time per circuit; other calls fail fast meanwhile, as during a probe.
 * 2. A call waits at most `probeTimeoutMs`, and not at all while the coordinator is down: the local circuit decides then.
 * 3. A late grant is used for the local probe that started without it, or for its outcome.
 * 4. A granted probe is ended or returned at once, and again until the coordinator has confirmed it or the lease is over.
 */
import { timeAt } from '../../engine/admission/gate.ts';
import type { Permit, Refusal } from '../../engine/admission/types.ts';
import type { Gate } from '../../engine/admission/gate-state.ts';
import type { OutcomeKind } from '../../engine/admission/types.ts';
import { isHeld, peek } from '../../engine/breaker/breaker.ts';
import { maxMs } from '../../engine/breaker/wait.ts';
import type { System } from '../../engine/ports/system.ts';
import type { CircuitRecord } from './circuit-record.ts';
import type { CoordinatorHealth } from './coordinator-health.ts';
import type { FleetCircuit, ProbeAnswer, SharedCircuits } from './shared-circuits.ts';
import { withTimeout } from './with-timeout.ts';

export interface ProbeLeasesOptions {
  readonly circuits: SharedCircuits;
  readonly system: System;
  readonly health: CoordinatorHealth;
  readonly worker: string;
  readonly probeTimeoutMs: number;
  readonly reportTimeoutMs: number;
  /** Applies the state of the fleet's circuit. */
  readonly adopt: (record: CircuitRecord, circuit: FleetCircuit) => void;
}

/** The fleet's lease is longer than the local one, which is longer than the attempt, so that a slow worker first misses its own limits. */
const GRACE_MS = 2_000;

export class ProbeLeases {
  readonly #options: ProbeLeasesOptions;

  constructor(options: ProbeLeasesOptions) {
    this.#options = options;
  }

  ask(record: CircuitRecord, clock: number, timeLimitMs: number, resume: () => void): 'continue' | 'asked' | Refusal {
    const { health, probeTimeoutMs } = this.#options;
    const now = timeAt(record.gate, clock);
    if (record.isResuming || !isProbeDue(record.gate, now)) return 'continue';
    if (record.isRequesting) return { code: 'CIRCUIT_OPEN', source: 'probe_in_progress', retryAfterMs: Math.ceil(probeTimeoutMs) };
    if (health.isDown || (record.token !== undefined && now < record.leaseUntil)) return 'continue';
    record.isRequesting = true;
    record.isUsed = false;
    void this.#acquire(record, timeLimitMs).then(() => this.#resume(record, resume));
    return 'asked';
  }

  probing(record: CircuitRecord, permit: Permit): void {
    record.permit = permit;
    record.isUsed = true;
  }

  recordEnd(record: CircuitRecord, permit: Permit, outcome: OutcomeKind): void {
    const { state } = record.gate.breaker;
    // One of several concurrent probes may close the circuit; the others do not matter then.
    const closes = permit.probe && record.isUsed && state === 'closed';
    if (record.permit !== permit && !closes) return;
    record.permit = undefined;
    // Undecided: the local circuit needs more probes, and the next one uses the same lease.
    const isUndecided = state === 'half_open' && outcome !== 'neutral';
    if (record.token !== undefined && !isUndecided) void this.#end(record, record.token);
  }

  /** Repeats an unconfirmed end of a probe, and returns an unused probe. */
  async cleanUp(record: CircuitRecord): Promise<void> {
    if (record.token !== undefined && record.permit === undefined && !record.isRequesting) return this.#end(record, record.token);
    if (record.ending === undefined) return;
    if (this.#options.system.now() < record.leaseUntil) await this.#reportEnd(record);
    else record.ending = undefined;
  }

  /** Offers the successful calls of a worker with a closed circuit as the probe, since no call of it would request one. */
  async offer(record: CircuitRecord): Promise<void> {
    record.isRequesting = record.isUsed = true;
    await this.#acquire(record, 0);
    record.isRequesting = false;
    if (record.token !== undefined) await this.#end(record, record.token);
  }

  /** Discards a granted probe. */
  forget(record: CircuitRecord): void {
    record.token = record.permit = record.ending = undefined;
  }

  async #acquire(record: CircuitRecord, timeLimitMs: number): Promise<void> {
    const { circuits, system, health, worker, probeTimeoutMs, reportTimeoutMs } = this.#options;
    const leaseMs = Math.min(Math.max(record.gate.breaker.settings.probeLeaseMs, timeLimitMs) + GRACE_MS, maxMs);
    const onLate = (answer: ProbeAnswer): void => this.#acceptLate(record, answer);
    try {
      const request = { toolName: record.name, worker, leaseMs };
      const answer = await withTimeout(system, () => circuits.acquireProbe(request), {
        limitMs: probeTimeoutMs,
        background: false,
        onLate,
      });
      record.isRequesting = false;
      if (answer.kind === 'granted') return this.#setLease(record, answer);
      // The state may already be known: two clocks disagree about the end of a period, and the coordinator's counts.
      if (answer.kind === 'refused') record.known = Math.min(record.known, answer.circuit.generation - 1);
      this.#options.adopt(record, answer.circuit);
    } catch (error) {
      record.unsureUntil = system.now() + reportTimeoutMs;
      health.recordFailure('probe', error);
    }
  }

  #resume(record: CircuitRecord, resume: () => void): void {
    record.isRequesting = false;
    record.isResuming = true;
    try {
      resume();
    } finally {
      record.isResuming = false;
    }
    // The call has ended, or was refused for another reason.
    if (record.token !== undefined && !record.isUsed) void this.#end(record, record.token);
  }

  #acceptLate(record: CircuitRecord, answer: ProbeAnswer): void {
    record.unsureUntil = -Infinity;
    if (answer.kind !== 'granted') return;
    this.#setLease(record, answer);
    if (record.permit === undefined) void this.#end(record, answer.token);
  }

  #setLease(record: CircuitRecord, { token, leaseMs }: ProbeAnswer & { readonly kind: 'granted' }): void {
    record.token = token;
    record.leaseUntil = this.#options.system.now() + leaseMs;
  }

  /** Ends the fleet's probe with the state of the local circuit, if the local probe has changed it. */
  #end(record: CircuitRecord, token: string): Promise<void> {
    const { state, mode, openUntil } = record.gate.breaker;
    const isUndecided = !record.isUsed || mode !== 'auto' || state === 'half_open';
    record.token = undefined;
    record.ending = { token, outcome: isUndecided ? 'neutral' : state === 'closed' ? 'success' : 'failure', openUntil };
    return this.#reportEnd(record);
  }

  async #reportEnd(record: CircuitRecord): Promise<void> {
    const { circuits, system, health, reportTimeoutMs, adopt } = this.#options;
    const { ending, name: toolName } = record;
    if (ending === undefined) return;
    const { token, outcome, openUntil } = ending;
    const openForMs = openUntil - system.now();
    const end = { toolName, token, outcome, ...(outcome === 'failure' && openForMs > 0 ? { openForMs } : {}) };
    try {
      const circuit = await withTimeout(system, () => circuits.probeEnded(end), { limitMs: reportTimeoutMs, background: true });
      if (record.ending === ending) record.ending = undefined;
      adopt(record, circuit);
    } catch (error) {
      health.recordFailure('probe end', error);
    }
  }
}

function isProbeDue({ breaker }: Gate, now: number): boolean {
  return breaker.mode === 'auto' && !isHeld(breaker, now) && peek(breaker, now) === undefined;
}
