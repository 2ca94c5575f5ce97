/**
 * Owns the exchange of one service with the coordinator of the fleet's circuits: it sends reports in batches and applies the fleet's state to the local gates.
 * Does not own the content of reports or the effect of a new state (`circuit-record.ts`), nor probes (`probe-leases.ts`).
 *
 * 1. No call waits for a report. One report is in flight at a time, with a time limit.
 * 2. Reported are only tools that were called recently or whose circuit is not closed, locally or in the fleet.
 * 3. While the coordinator is down, local circuits continue as without a fleet.
 * 4. The circuits of partitions are not shared.
 */
import { timeAt } from '../../engine/admission/gate.ts';
import type { Gate } from '../../engine/admission/gate-state.ts';
import type { CircuitLink, CircuitPlace, SharedTool } from '../../engine/ports/circuit-sharing.ts';
import type { TimerHandle } from '../../engine/ports/system.ts';
import { adoptCoordinatorLoss } from './apply-fleet-state.ts';
import { adopt, markReported, newCircuitRecord, reportOf, type CircuitRecord } from './circuit-record.ts';
import { CoordinatorHealth } from './coordinator-health.ts';
import { ProbeLeases } from './probe-leases.ts';
import type { CircuitReport, FleetCircuit, SharedCircuits } from './shared-circuits.ts';
import { withTimeout } from './with-timeout.ts';

export interface ExchangeSettings {
  readonly worker: string;
  readonly reportEveryMs: number;
  readonly probeTimeoutMs: number;
  readonly reportTimeoutMs: number;
  readonly maxPauseMs: number;
}

/** Callers of a partition have credentials or processes of their own. */
const isShared = ({ partition }: SharedTool): boolean => partition === undefined;

/** An urgent report waits for this time, so that it includes other changes. */
const BATCH_DELAY_MS = 20;

interface PendingReport {
  readonly record: CircuitRecord;
  readonly report: CircuitReport;
  readonly hold: number;
}

export class CircuitExchange implements CircuitLink {
  readonly #circuits: SharedCircuits;
  readonly #place: CircuitPlace;
  readonly #settings: ExchangeSettings;
  readonly #health: CoordinatorHealth;
  readonly #leases: ProbeLeases;
  readonly #records = new WeakMap<Gate, CircuitRecord>();
  #sequence: number;
  #timer: TimerHandle | undefined;
  #isReporting = false;
  #isRequested = false;
  #isClosed = false;

  constructor(circuits: SharedCircuits, place: CircuitPlace, settings: ExchangeSettings) {
    const { system } = place;
    this.#circuits = circuits;
    this.#place = place;
    this.#settings = settings;
    this.#health = new CoordinatorHealth({
      system,
      firstPauseMs: settings.reportEveryMs,
      maxPauseMs: settings.maxPauseMs,
      onFailure: place.failed,
    });
    this.#leases = new ProbeLeases({
      circuits,
      system,
      health: this.#health,
      ...settings,
      adopt: (record, circuit) => this.#adopt(record, circuit),
    });
    // Also increases over restarts, in which the name of a worker may stay the same.
    this.#sequence = Math.floor(system.epochMs());
    this.#schedule(settings.reportEveryMs);
  }

  readonly ask: CircuitLink['ask'] = (tool, now, timeLimitMs, resume) =>
    isShared(tool) ? this.#leases.ask(this.#recordOf(tool), now, timeLimitMs, resume) : 'continue';

  readonly probing: CircuitLink['probing'] = (tool, permit) => {
    if (isShared(tool)) this.#leases.probing(this.#recordOf(tool), permit);
  };

  readonly ended: CircuitLink['ended'] = (tool, permit, outcome) => {
    if (!isShared(tool)) return;
    this.#leases.recordEnd(this.#recordOf(tool), permit, outcome);
    this.#reportSoon();
  };

  readonly held: CircuitLink['held'] = (tool) => {
    if (isShared(tool)) this.#reportSoon();
  };

  readonly reset: CircuitLink['reset'] = (tool) => {
    const record = this.#recordOf(tool);
    const { system } = this.#place;
    const { worker, reportTimeoutMs } = this.#settings;
    this.#leases.forget(record);
    record.gate.fleet.joined = false;
    withTimeout(system, () => this.#circuits.reset({ toolName: tool.name, worker }), { limitMs: reportTimeoutMs, background: true }).then(
      (circuit) => this.#adopt(record, circuit),
      (error: unknown) => this.#health.recordFailure('reset', error),
    );
  };

  readonly close: CircuitLink['close'] = async () => {
    this.#isClosed = true;
    if (this.#timer) this.#place.system.clearTimer(this.#timer);
    await this.#cleanUp();
  };

  #recordOf({ name, gate }: SharedTool): CircuitRecord {
    let record = this.#records.get(gate);
    if (!record) this.#records.set(gate, (record = newCircuitRecord(name, gate)));
    return record;
  }

  #reportSoon(): void {
    if (this.#isReporting) this.#isRequested = true;
    else this.#schedule(BATCH_DELAY_MS);
  }

  #schedule(delayMs: number): void {
    const { system } = this.#place;
    if (this.#isClosed || (this.#timer && this.#timer.dueAt <= system.now() + delayMs)) return;
    if (this.#timer) system.clearTimer(this.#timer);
    this.#timer = system.setTimer(delayMs, () => void this.#tick(), true);
  }

  async #tick(): Promise<void> {
    this.#timer = undefined;
    this.#isReporting = true;
    this.#isRequested = false;
    if (this.#health.mayRequest(this.#place.system.now())) {
      await this.#report();
      await this.#cleanUp();
    }
    this.#isReporting = false;
    this.#schedule(this.#isRequested && !this.#health.isDown ? BATCH_DELAY_MS : this.#settings.reportEveryMs);
  }

  async #cleanUp(): Promise<void> {
    await Promise.all(this.#knownRecords().map((record) => this.#leases.cleanUp(record)));
  }

  #knownRecords(): readonly CircuitRecord[] {
    return [...this.#place.tools()].flatMap(({ gate }) => this.#records.get(gate) ?? []);
  }

  async #report(): Promise<void> {
    const { system } = this.#place;
    const batch = this.#batch();
    if (batch.length === 0) return;
    const reports = batch.map(({ report }) => report);
    try {
      const wait = { limitMs: this.#settings.reportTimeoutMs, background: true };
      const circuits = new Map(
        (await withTimeout(system, () => this.#circuits.report(reports), wait)).map((circuit) => [circuit.toolName, circuit]),
      );
      this.#health.recordAnswer();
      for (const { record, report, hold } of batch) {
        markReported(record, report, hold);
        const circuit = circuits.get(record.name);
        if (circuit) await this.#handleAnswer(record, report, circuit);
      }
    } catch (error) {
      this.#health.recordFailure('report', error);
      this.#continueLocally(batch);
    }
  }

  #continueLocally(batch: readonly PendingReport[]): void {
    const now = this.#place.system.now();
    for (const { record } of batch) {
      const change = adoptCoordinatorLoss(record.gate, timeAt(record.gate, now));
      if (change) this.#place.changed(record, change, {});
    }
  }

  #batch(): readonly PendingReport[] {
    const now = this.#place.system.now();
    const batch: PendingReport[] = [];
    for (const tool of this.#place.tools()) {
      const record = this.#recordOf(tool);
      const report = reportOf(record, this.#settings.worker, this.#sequence + 1, now);
      if (!report) continue;
      this.#sequence += 1;
      batch.push({ record, report, hold: tool.gate.breaker.holdUntil });
    }
    return batch;
  }

  async #handleAnswer(record: CircuitRecord, { successes, failures }: CircuitReport, circuit: FleetCircuit): Promise<void> {
    const isFree = circuit.state === 'half_open' && circuit.openForMs === undefined;
    const succeeds = record.gate.breaker.state === 'closed' && successes > 0 && failures === 0;
    if (isFree && succeeds && !record.isRequesting && record.token === undefined) await this.#leases.offer(record);
    else this.#adopt(record, circuit);
  }

  #adopt(record: CircuitRecord, circuit: FleetCircuit): void {
    const change = adopt(record, circuit, this.#settings.worker, this.#place.system.now());
    if (!change) return;
    const { cause, by } = circuit;
    this.#place.changed(record, change, {
      ...(cause === undefined ? {} : { fleet_cause: cause }),
      ...(by === undefined ? {} : { fleet_by: by }),
    });
  }
}
