/**
 * Owns evaluating the current alert rules over the service's trace, notifying receivers, and saving state. Does not own
 * the actions of operators (`alert-actions.ts`) or the views of them (`create-alerts.ts`).
 *
 * Invariants
 * 1. Nothing here delays or fails a call: deliveries run in the background.
 * 2. Silences, acknowledgements and the state of notifications survive a change of the rules.
 * 3. After `close` nothing runs.
 */
import { createSystem, type System, type TimerHandle, type ToolExecutionService } from '@holdfast/core';
import {
  type AlertChange,
  type AlertEngine,
  type AlertRule,
  createAlertEngine,
  type SavedAlerts,
  type Silence,
} from '@holdfast/core/alerts';
import type { Metrics } from '@holdfast/core/metrics';
import type { AlertsEntry } from '@holdfast/manifest';
import type { SyncAlertRecords } from '@holdfast/store-sqlite/history';
import { createNotifier, type DeliveryReport, type Notifier, type SavedNotifier, type Send } from '@holdfast/telemetry/alerts';
import type { AlertItem } from '../contract.ts';
import { createAlertLog, type AlertLog, endInterrupted, type AlertNote } from './alert-log.ts';
import { alertItem, deliveryBody, inOrder } from './alert-views.ts';
import { firingAlert } from './firing-alert.ts';
import { type Environment, receiverOf, rulesOf } from './read-rules.ts';
import { createKeptState, type KeptState } from './saved-state.ts';

export interface AlertRoomOptions {
  readonly entry: AlertsEntry;
  readonly service: Pick<ToolExecutionService, 'subscribe'>;
  /** Called with every event before the alerts process it. */
  readonly metrics: Pick<Metrics, 'samples' | 'readActive'>;
  readonly records: SyncAlertRecords;
  /** The address of the dashboard, once it is known. */
  readonly address: () => string | undefined;
  readonly redact: (text: string) => string;
  readonly onFault: (text: string) => void;
  /** Whether this process notifies receivers if several processes watch. @default true */
  readonly mayNotify?: (() => boolean) | undefined;
  /** Called with a sentence when an alert begins to fire and when it ends. */
  readonly note?: ((change: AlertNote) => void) | undefined;
  /** @default the process's */
  readonly environment?: Environment | undefined;
  /** @default the machine */
  readonly system?: System | undefined;
  /** @default fetch */
  readonly send?: Send | undefined;
  /** Whether a process is running. @default asks the operating system */
  readonly isAlive?: ((pid: number) => boolean) | undefined;
}

/** Delay between a change and saving the state. */
const saveMs = 1_000;
/** Measured values are saved less often: samples of all tools are written with them. */
const saveValuesMs = 60_000;

export class AlertWatch {
  readonly alertLog: AlertLog;
  readonly #options: AlertRoomOptions;
  readonly #system: System;
  readonly #state: KeptState;
  readonly #listeners = new Set<() => void>();
  readonly #stopListening: () => void;
  #entry: AlertsEntry;
  #rules: readonly AlertRule[];
  #engine: AlertEngine;
  #notifier: Notifier;
  /** The state that listeners were last notified of. */
  #shown = '';
  /** Silences whose end is in the log. */
  #expired = new Set<string>();
  #ticking: TimerHandle | undefined;
  #isClosed = false;

  constructor(options: AlertRoomOptions) {
    const { records, service, redact, onFault, note, isAlive } = options;
    this.#options = options;
    this.#system = options.system ?? createSystem();
    this.alertLog = createAlertLog(records, { redact, onFault, note });
    this.#entry = options.entry;
    this.#rules = rulesOf(options.entry);
    this.#engine = this.#makeEngine();
    this.#notifier = this.#makeNotifier();
    this.#state = createKeptState({
      alertLog: this.alertLog,
      system: this.#system,
      stateful: {
        engine: { save: () => this.#engine.save(), restore: (saved) => this.#engine.restore(saved as SavedAlerts) },
        notifier: { save: () => this.#notifier.save(), restore: (saved) => this.#notifier.restore(saved as SavedNotifier) },
      },
      onFault,
      isAlive,
    });
    this.#stopListening = service.subscribe((event) => {
      if (this.#entry.enabled) this.#engine.observe(event);
    });
  }

  get entry(): AlertsEntry {
    return this.#entry;
  }

  get rules(): readonly AlertRule[] {
    return this.#entry.enabled ? this.#rules : [];
  }

  /** Replaced by `apply`. */
  get engine(): AlertEngine {
    return this.#engine;
  }

  get notifier(): Notifier {
    return this.#notifier;
  }

  now(): number {
    return this.#system.epochMs();
  }

  items(): readonly AlertItem[] {
    return this.#entry.enabled ? this.#engine.alerts().map(alertItem).toSorted(inOrder) : [];
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  start(): void {
    if (this.#state.restore()) endInterrupted(this.alertLog);
    this.#expired = new Set(this.#endedSilences().map(({ id }) => id));
    this.#tick();
  }

  /** Call it after an operator's action: the state is saved immediately. */
  saveActions(): void {
    this.#state.saveIn(0);
    this.#publish();
  }

  /** Call it after a silence began or ended: it takes effect immediately, not at the next evaluation. */
  applySilences(): void {
    if (this.#entry.enabled) this.#engine.evaluate(this.now());
    this.saveActions();
  }

  /** Logs the end of a silence once, whether it expired or an operator ended it. */
  noteEnd(silence: Silence, atMs: number, by?: string): void {
    if (this.#expired.has(silence.id)) return;
    this.#expired.add(silence.id);
    this.alertLog.silence('silence_ended', silence, atMs, by);
  }

  /** Applies changed rules and receivers. */
  apply(next: AlertsEntry): void {
    const savedEngine = this.#engine.save();
    const savedNotifier = this.#notifier.save();
    const before = this.#notifier;
    this.#entry = next;
    this.#rules = rulesOf(next);
    this.#engine = this.#makeEngine();
    this.#engine.restore(savedEngine);
    this.#notifier = this.#makeNotifier();
    this.#notifier.restore(savedNotifier);
    void before.close(0);
    if (this.#ticking !== undefined) this.#system.clearTimer(this.#ticking);
    this.#tick();
    this.#publish();
  }

  async close(limitMs: number): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopListening();
    if (this.#ticking !== undefined) this.#system.clearTimer(this.#ticking);
    this.#listeners.clear();
    await this.#notifier.close(limitMs);
    this.#state.end();
  }

  #tick(): void {
    this.#ticking = undefined;
    if (this.#isClosed) return;
    this.#ticking = this.#system.setTimer(this.#entry.intervalMs, () => this.#tick(), true);
    if (!this.#entry.enabled) return;
    this.#engine.evaluate(this.now());
    this.#noteExpired();
    this.#publish();
  }

  #noteExpired(): void {
    const over = this.#endedSilences();
    for (const silence of over) this.noteEnd(silence, silence.endsAtEpochMs);
    this.#expired = new Set(over.map(({ id }) => id));
  }

  #endedSilences(): readonly Silence[] {
    return this.#engine.silences().filter(({ endsAtEpochMs }) => endsAtEpochMs <= this.now());
  }

  /** Call it after a possible change. */
  #publish(): void {
    if (this.#options.mayNotify?.() ?? true) {
      const active = this.#entry.enabled ? this.#engine.active() : [];
      this.#notifier.update(active.map((alert) => firingAlert(alert, this.#dashboardUrl())));
    }
    const shown = JSON.stringify([this.items(), this.#engine.silences()]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#state.saveIn(saveValuesMs);
    for (const listener of this.#listeners) listener();
  }

  #handleChanges(changes: readonly AlertChange[]): void {
    for (const change of changes) this.alertLog.change(change);
    this.#state.saveIn(saveMs);
    this.#system.defer(() => this.#publish());
  }

  #handleDelivery(report: DeliveryReport): void {
    const { key, at: atMs, receiver } = report;
    const body = JSON.stringify(deliveryBody(report, this.#options.redact));
    this.alertLog.attempt((kept) => kept.saveDelivery({ key, atMs, receiver, body }), 0);
    if (report.status !== 'waiting') this.#state.saveIn(saveMs);
  }

  #dashboardUrl(): string {
    return (this.#entry.dashboardUrl ?? this.#options.address() ?? '').replace(/\/+$/, '');
  }

  #makeEngine(): AlertEngine {
    return createAlertEngine({
      rules: this.#rules,
      metrics: this.#options.metrics,
      intervalMs: this.#entry.intervalMs,
      onChange: (changes) => this.#handleChanges(changes),
    });
  }

  #makeNotifier(): Notifier {
    const { environment = process.env, redact, send } = this.#options;
    const { receivers, groupBy, groupWaitMs, groupIntervalMs, repeatIntervalMs } = this.#entry;
    return createNotifier({
      receivers: receivers.map((receiver) => receiverOf(receiver, environment)),
      groupBy,
      groupWaitMs,
      groupIntervalMs,
      repeatIntervalMs,
      externalUrl: () => this.#dashboardUrl(),
      redact,
      system: this.#system,
      ...(send ? { send } : {}),
      onDelivery: (report) => this.#handleDelivery(report),
    });
  }
}
