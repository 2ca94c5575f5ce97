/**
 * Owns the fleet's probe as one worker sees it: asked for before a local probe, told about as soon as that has ended.
 *
 * 1. One request at a time per circuit; anyone who else asks meanwhile fails fast, as at a probe that is out.
 * 2. A call waits `probeTimeoutMs` at most, and not at all while the keeper is down: the local circuit decides then.
 * 3. A grant that comes late is used for the local probe that continued without it, or for what came of that.
 * 4. What was granted is notified of, or given back: at once, and again until the keeper knows or the lease is over.
 */
import { timeAt } from '../../engine/admission/gate.ts';
import type { Gate, Permit, Refusal } from '../../engine/admission/types.ts';
import type { OutcomeKind } from '../../engine/admission/types.ts';
import { isHeld, peek } from '../../engine/breaker/breaker.ts';
import { longestMs } from '../../engine/breaker/wait.ts';
import type { System } from '../../engine/ports/system.ts';
import type { CircuitRecord } from './circuit-record.ts';
import type { KeeperHealth } from './keeper-health.ts';
import type { FleetCircuit, ProbeAnswer, SharedCircuits } from './shared-circuits.ts';
import { within } from './within.ts';

export interface ProbeDeskOptions {
  readonly circuits: SharedCircuits;
  readonly system: System;
  readonly health: KeeperHealth;
  readonly worker: string;
  readonly probeTimeoutMs: number;
  readonly reportTimeoutMs: number;
  /** The fleet's word, to be adopted. */
  readonly hear: (record: CircuitRecord, circuit: FleetCircuit) => void;
}

/** The fleet's lease outlasts the local one, and that the attempt: anyone who is late is late for himself first. */
const GRACE_MS = 2_000;

export class ProbeDesk {
  readonly #options: ProbeDeskOptions;

  constructor(options: ProbeDeskOptions) {
    this.#options = options;
  }

  ask(record: CircuitRecord, clock: number, timeLimitMs: number, resume: () => void): 'continue' | 'asked' | Refusal {
    const { health, probeTimeoutMs } = this.#options;
    const now = timeAt(record.gate, clock);
    if (record.isResuming || !isProbeDue(record.gate, now)) return 'continue';
    if (record.isAsking) return { code: 'CIRCUIT_OPEN', source: 'probe_in_progress', retryAfterMs: Math.ceil(probeTimeoutMs) };
    if (health.isDown || (record.token !== undefined && now < record.leaseUntil)) return 'continue';
    record.isAsking = true;
    record.isUsed = false;
    void this.#acquire(record, timeLimitMs).then(() => this.#resume(record, resume));
    return 'asked';
  }

  probing(record: CircuitRecord, permit: Permit): void {
    record.permit = permit;
    record.isUsed = true;
  }

  ended(record: CircuitRecord, permit: Permit, outcome: OutcomeKind): void {
    const { state } = record.gate.breaker;
    // One of several probes that are out may close the circuit: the others have nothing to add.
    const closes = permit.probe && record.isUsed && state === 'closed';
    if (record.permit !== permit && !closes) return;
    record.permit = undefined;
    // Not decided yet: the local circuit wants more probes, and the next one continues under the same lease.
    const isUndecided = state === 'half_open' && outcome !== 'neutral';
    if (record.token !== undefined && !isUndecided) void this.#end(record, record.token);
  }

  /** Tells what the keeper has not heard, and gives back what is not used. */
  async tidy(record: CircuitRecord): Promise<void> {
    if (record.token !== undefined && record.permit === undefined && !record.isAsking) return this.#end(record, record.token);
    if (record.ending === undefined) return;
    if (this.#options.system.now() < record.leaseUntil) await this.#tellEnd(record);
    else record.ending = undefined;
  }

  /** A worker whose own circuit is closed, and whose calls succeed, offers that as the probe: nobody else would ask for it. */
  async offer(record: CircuitRecord): Promise<void> {
    record.isAsking = record.isUsed = true;
    await this.#acquire(record, 0);
    record.isAsking = false;
    if (record.token !== undefined) await this.#end(record, record.token);
  }

  /** Nothing that was granted before counts any more. */
  forget(record: CircuitRecord): void {
    record.token = record.permit = record.ending = undefined;
  }

  async #acquire(record: CircuitRecord, timeLimitMs: number): Promise<void> {
    const { circuits, system, health, worker, probeTimeoutMs, reportTimeoutMs } = this.#options;
    const leaseMs = Math.min(Math.max(record.gate.breaker.settings.probeLeaseMs, timeLimitMs) + GRACE_MS, longestMs);
    const onLate = (answer: ProbeAnswer): void => this.#takeLate(record, answer);
    try {
      const request = { tool: record.name, worker, leaseMs };
      const answer = await within(system, () => circuits.acquireProbe(request), { limitMs: probeTimeoutMs, background: false, onLate });
      record.isAsking = false;
      if (answer.kind === 'granted') return this.#hold(record, answer);
      // It may be known already: two clocks do not agree on when a period is over, and the keeper's counts.
      if (answer.kind === 'refused') record.known = Math.min(record.known, answer.circuit.generation - 1);
      this.#options.hear(record, answer.circuit);
    } catch (error) {
      record.unsureUntil = system.now() + reportTimeoutMs;
      health.failed('probe', error);
    }
  }

  #resume(record: CircuitRecord, resume: () => void): void {
    record.isAsking = false;
    record.isResuming = true;
    try {
      resume();
    } finally {
      record.isResuming = false;
    }
    // The call has gone, or was refused for another reason.
    if (record.token !== undefined && !record.isUsed) void this.#end(record, record.token);
  }

  #takeLate(record: CircuitRecord, answer: ProbeAnswer): void {
    record.unsureUntil = -Infinity;
    if (answer.kind !== 'granted') return;
    this.#hold(record, answer);
    if (record.permit === undefined) void this.#end(record, answer.token);
  }

  #hold(record: CircuitRecord, { token, leaseMs }: ProbeAnswer & { readonly kind: 'granted' }): void {
    record.token = token;
    record.leaseUntil = this.#options.system.now() + leaseMs;
  }

  /** As the local circuit stands now, if its probe has moved it. */
  #end(record: CircuitRecord, token: string): Promise<void> {
    const { state, mode, openUntil } = record.gate.breaker;
    const isUndecided = !record.isUsed || mode !== 'auto' || state === 'half_open';
    record.token = undefined;
    record.ending = { token, outcome: isUndecided ? 'neutral' : state === 'closed' ? 'success' : 'failure', openUntil };
    return this.#tellEnd(record);
  }

  async #tellEnd(record: CircuitRecord): Promise<void> {
    const { circuits, system, health, reportTimeoutMs, hear } = this.#options;
    const { ending, name: tool } = record;
    if (ending === undefined) return;
    const { token, outcome, openUntil } = ending;
    const openForMs = openUntil - system.now();
    const end = { tool, token, outcome, ...(outcome === 'failure' && openForMs > 0 ? { openForMs } : {}) };
    try {
      const circuit = await within(system, () => circuits.probeEnded(end), { limitMs: reportTimeoutMs, background: true });
      if (record.ending === ending) record.ending = undefined;
      hear(record, circuit);
    } catch (error) {
      health.failed('probe end', error);
    }
  }
}

function isProbeDue({ breaker }: Gate, now: number): boolean {
  return breaker.mode === 'auto' && !isHeld(breaker, now) && peek(breaker, now) === undefined;
}
