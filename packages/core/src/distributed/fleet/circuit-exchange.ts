/**
 * Owns the exchange of one service with the keeper of the fleet's circuits: reports in batches, and the fleet's word adopted at the local gates.
 * Does not own what a report says or what news changes (`circuit-record.ts`), nor probes (`probe-desk.ts`).
 *
 * 1. No call waits for a report. One report is under way at a time; each waits a bounded time for its answer.
 * 2. Only tools that were called lately, are not closed here or not closed in the fleet are reported.
 * 3. While the keeper is down, local circuits go on as if there were no fleet.
 */
import { timeAt } from '../../engine/admission/gate.ts';
import type { Gate } from '../../engine/admission/types.ts';
import type { CircuitLink, CircuitPlace, SharedTool } from '../../engine/ports/circuit-sharing.ts';
import type { TimerHandle } from '../../engine/ports/system.ts';
import { adoptSilence } from './apply-fleet-state.ts';
import { hear, newCircuitRecord, reportOf, told, type CircuitRecord } from './circuit-record.ts';
import { KeeperHealth } from './keeper-health.ts';
import { ProbeDesk } from './probe-leases.ts';
import type { CircuitReport, FleetCircuit, SharedCircuits } from './shared-circuits.ts';
import { within } from './within.ts';

export interface ExchangeSettings {
  readonly worker: string;
  readonly reportEveryMs: number;
  readonly probeTimeoutMs: number;
  readonly reportTimeoutMs: number;
  readonly longestPauseMs: number;
}

/** What has to be told soon is told together with what else happens within that time. */
const SOON_MS = 20;

interface Told {
  readonly record: CircuitRecord;
  readonly report: CircuitReport;
  readonly hold: number;
}

export class CircuitExchange implements CircuitLink {
  readonly #circuits: SharedCircuits;
  readonly #place: CircuitPlace;
  readonly #settings: ExchangeSettings;
  readonly #health: KeeperHealth;
  readonly #desk: ProbeDesk;
  readonly #records = new WeakMap<Gate, CircuitRecord>();
  #sequence: number;
  #timer: TimerHandle | undefined;
  #isReporting = false;
  #isWanted = false;
  #isClosed = false;

  constructor(circuits: SharedCircuits, place: CircuitPlace, settings: ExchangeSettings) {
    const { system } = place;
    this.#circuits = circuits;
    this.#place = place;
    this.#settings = settings;
    this.#health = new KeeperHealth({
      system,
      firstPauseMs: settings.reportEveryMs,
      longestPauseMs: settings.longestPauseMs,
      failed: place.failed,
    });
    this.#desk = new ProbeDesk({
      circuits,
      system,
      health: this.#health,
      ...settings,
      hear: (record, circuit) => this.#hear(record, circuit),
    });
    // Grows over restarts too, where a worker's name stays.
    this.#sequence = Math.floor(system.epochMs());
    this.#schedule(settings.reportEveryMs);
  }

  readonly ask: CircuitLink['ask'] = (tool, now, timeLimitMs, resume) => this.#desk.ask(this.#recordOf(tool), now, timeLimitMs, resume);

  readonly probing: CircuitLink['probing'] = (tool, permit) => this.#desk.probing(this.#recordOf(tool), permit);

  readonly ended: CircuitLink['ended'] = (tool, permit, outcome) => {
    this.#desk.ended(this.#recordOf(tool), permit, outcome);
    this.#tellSoon();
  };

  readonly held: CircuitLink['held'] = () => this.#tellSoon();

  readonly reset: CircuitLink['reset'] = (tool) => {
    const record = this.#recordOf(tool);
    const { system } = this.#place;
    const { worker, reportTimeoutMs } = this.#settings;
    this.#desk.forget(record);
    record.joined = false;
    within(system, () => this.#circuits.reset({ toolName: tool.name, worker }), { limitMs: reportTimeoutMs, background: true }).then(
      (circuit) => this.#hear(record, circuit),
      (error: unknown) => this.#health.failed('reset', error),
    );
  };

  readonly close: CircuitLink['close'] = async () => {
    this.#isClosed = true;
    if (this.#timer) this.#place.system.clearTimer(this.#timer);
    await this.#tidy();
  };

  #recordOf({ name, gate }: SharedTool): CircuitRecord {
    let record = this.#records.get(gate);
    if (!record) this.#records.set(gate, (record = newCircuitRecord(name, gate)));
    return record;
  }

  #tellSoon(): void {
    if (this.#isReporting) this.#isWanted = true;
    else this.#schedule(SOON_MS);
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
    this.#isWanted = false;
    if (this.#health.isWorthAsking(this.#place.system.now())) {
      await this.#report();
      await this.#tidy();
    }
    this.#isReporting = false;
    this.#schedule(this.#isWanted && !this.#health.isDown ? SOON_MS : this.#settings.reportEveryMs);
  }

  async #tidy(): Promise<void> {
    await Promise.all(this.#known().map((record) => this.#desk.tidy(record)));
  }

  #known(): readonly CircuitRecord[] {
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
        (await within(system, () => this.#circuits.report(reports), wait)).map((circuit) => [circuit.toolName, circuit]),
      );
      this.#health.answered();
      for (const { record, report, hold } of batch) {
        told(record, report, hold);
        const circuit = circuits.get(record.name);
        if (circuit) await this.#answered(record, report, circuit);
      }
    } catch (error) {
      this.#health.failed('report', error);
      this.#goOnAlone(batch);
    }
  }

  #goOnAlone(batch: readonly Told[]): void {
    const now = this.#place.system.now();
    for (const { record } of batch) {
      const change = adoptSilence(record.gate, timeAt(record.gate, now));
      if (change) this.#place.changed(record, change, {});
    }
  }

  #batch(): readonly Told[] {
    const now = this.#place.system.now();
    const batch: Told[] = [];
    for (const tool of this.#place.tools()) {
      const record = this.#recordOf(tool);
      const report = reportOf(record, this.#settings.worker, this.#sequence + 1, now);
      if (!report) continue;
      this.#sequence += 1;
      batch.push({ record, report, hold: tool.gate.breaker.holdUntil });
    }
    return batch;
  }

  async #answered(record: CircuitRecord, { successes, failures }: CircuitReport, circuit: FleetCircuit): Promise<void> {
    const isFree = circuit.state === 'half_open' && circuit.openForMs === undefined;
    const works = record.gate.breaker.state === 'closed' && successes > 0 && failures === 0;
    if (isFree && works && !record.isAsking && record.token === undefined) await this.#desk.offer(record);
    else this.#hear(record, circuit);
  }

  #hear(record: CircuitRecord, circuit: FleetCircuit): void {
    const change = hear(record, circuit, this.#settings.worker, this.#place.system.now());
    if (!change) return;
    const { cause, by } = circuit;
    this.#place.changed(record, change, {
      ...(cause === undefined ? {} : { fleet_cause: cause }),
      ...(by === undefined ? {} : { fleet_by: by }),
    });
  }
}
