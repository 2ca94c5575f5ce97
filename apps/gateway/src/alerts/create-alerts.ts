/**
 * Owns alerting: the engine over the service's trace, notifications and stored state. Does not own what the rules mean (`@holdfast/core/alerts`), the
 * format of notifications (`@holdfast/telemetry/alerts`) or the routes.
 *
 * Invariants
 * 1. Nothing here delays or fails a call: events are only observed, deliveries run in the background.
 * 2. Silences, acknowledgements and the state of notifications survive a restart.
 * 3. After `close` nothing runs.
 */
import { createSystem, type System, type TimerHandle, type ToolExecutionService } from '@holdfast/core';
import { type AlertChange, type AlertEngine, createAlertEngine, type SavedAlerts } from '@holdfast/core/alerts';
import type { Metrics } from '@holdfast/core/metrics';
import type { AlertsEntry } from '@holdfast/manifest';
import type { AlertRecords } from '@holdfast/store-sqlite/history';
import {
  createNotifier,
  type DeliveryReport,
  alertExpression,
  type Notifier,
  type SavedNotifier,
  type Send,
} from '@holdfast/telemetry/alerts';
import type { AlertItem, Delivery } from '../contract.ts';
import type { Alerts } from './alerts.ts';
import { createAlertLog, endInterrupted, type AlertNote } from './alert-log.ts';
import { firingAlert } from './firing-alert.ts';
import { createKeptState } from './saved-state.ts';
import { type Environment, receiverOf, rulesOf, targetOf } from './read-rules.ts';
import { createSilence } from './silences.ts';
import { alertItem, deliveryBody, deliveryItem, eventItem, inOrder, ruleItem, silenceItem } from './alert-views.ts';

export interface AlertsOptions {
  readonly entry: AlertsEntry;
  readonly service: Pick<ToolExecutionService, 'subscribe'>;
  /** Receives every event before alerting does. */
  readonly metrics: Pick<Metrics, 'samples'>;
  readonly records: AlertRecords;
  /** Address of the dashboard, once it is known. */
  readonly address: () => string | undefined;
  readonly redact: (text: string) => string;
  readonly onFault: (text: string) => void;
  /** Whether this process notifies receivers when several gateways evaluate the rules. @default always true */
  readonly mayNotify?: (() => boolean) | undefined;
  /** Called when an alert begins to fire or ends, with a sentence about it. */
  readonly note?: ((change: AlertNote) => void) | undefined;
  /** @default `process.env` */
  readonly environment?: Environment | undefined;
  /** @default the system clock and timers */
  readonly system?: System | undefined;
  /** @default `fetch` */
  readonly send?: Send | undefined;
  /** Whether a process is running. @default asks the operating system */
  readonly isAlive?: ((pid: number) => boolean) | undefined;
}

/** State is saved this long after a change. */
const saveMs = 1_000;
/** Measured values are saved less often: they are written together with the samples of all tools. */
const saveValuesMs = 60_000;

export function createAlerts(options: AlertsOptions): Alerts {
  const {
    service,
    metrics,
    records,
    address,
    redact,
    onFault,
    environment = process.env,
    system = createSystem(),
    send,
    mayNotify = () => true,
  } = options;
  const alertLog = createAlertLog(records, { redact, onFault, note: options.note });
  const listeners = new Set<() => void>();
  let entry = options.entry;
  let rules = rulesOf(entry);
  let lastPublished = '';
  let expired = new Set<string>();
  let ticking: TimerHandle | undefined;
  let isClosed = false;

  const base = (): string => (entry.dashboardUrl ?? address() ?? '').replace(/\/+$/, '');
  const now = (): number => system.epochMs();

  const items = (): readonly AlertItem[] => (entry.enabled ? engine.alerts().map(alertItem).toSorted(inOrder) : []);

  /** Runs after a possible change. */
  const publish = (): void => {
    if (mayNotify()) notifier.update(entry.enabled ? engine.active().map((alert) => firingAlert(alert, base())) : []);
    const shown = JSON.stringify([items(), engine.silences()]);
    if (shown === lastPublished) return;
    lastPublished = shown;
    state.saveIn(saveValuesMs);
    for (const listener of listeners) listener();
  };

  const changed = (changes: readonly AlertChange[]): void => {
    for (const change of changes) alertLog.change(change);
    state.saveIn(saveMs);
    system.defer(publish);
  };

  const delivered = (report: DeliveryReport): void => {
    const { key, at: atMs, receiver } = report;
    const body = JSON.stringify(deliveryBody(report, redact));
    alertLog.attempt((kept) => kept.saveDelivery({ key, atMs, receiver, body }), 0);
    if (report.status !== 'waiting') state.saveIn(saveMs);
  };

  const makeEngine = (): AlertEngine => createAlertEngine({ rules, metrics, intervalMs: entry.intervalMs, onChange: changed });
  const makeNotifier = (): Notifier =>
    createNotifier({
      receivers: entry.receivers.map((receiver) => receiverOf(receiver, environment)),
      groupBy: entry.groupBy,
      groupWaitMs: entry.groupWaitMs,
      repeatIntervalMs: entry.repeatIntervalMs,
      externalUrl: base,
      redact,
      system,
      ...(send ? { send } : {}),
      onDelivery: delivered,
    });

  let engine = makeEngine();
  let notifier = makeNotifier();

  const noteExpired = (): void => {
    const over = engine.silences().filter(({ endsAtEpochMs }) => endsAtEpochMs <= now());
    for (const silence of over) {
      if (!expired.has(silence.id)) alertLog.silence('silence_ended', silence, silence.endsAtEpochMs, undefined);
    }
    expired = new Set(over.map(({ id }) => id));
  };

  const tick = (): void => {
    ticking = undefined;
    if (isClosed) return;
    ticking = system.setTimer(entry.intervalMs, tick, true);
    if (!entry.enabled) return;
    engine.evaluate(now());
    noteExpired();
    publish();
  };

  const state = createKeptState({
    alertLog,
    system,
    stateful: {
      engine: { save: () => engine.save(), restore: (saved) => engine.restore(saved as SavedAlerts) },
      notifier: { save: () => notifier.save(), restore: (saved) => notifier.restore(saved as SavedNotifier) },
    },
    onFault,
    isAlive: options.isAlive,
  });

  const stopListening = service.subscribe((event) => {
    if (entry.enabled) engine.observe(event);
  });

  return {
    start() {
      if (state.restore()) endInterrupted(alertLog);
      expired = new Set(engine.silences().flatMap(({ id, endsAtEpochMs }) => (endsAtEpochMs <= now() ? [id] : [])));
      tick();
    },
    active: items,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    list() {
      const statuses = engine.rules();
      return {
        alerts: items(),
        rules: (entry.enabled ? rules : []).map((rule) => ruleItem(rule, statuses, alertExpression)),
        silences: engine.silences().map((silence) => silenceItem(silence, now())),
        receivers: entry.receivers.map((receiver) => {
          const { name, kind } = receiver;
          const last = alertLog.attempt((kept) => kept.deliveries({ limit: 1, receiver: name })[0], undefined);
          return { name, kind, target: targetOf(receiver), ...(last ? { last_delivery: deliveryItem(last) } : {}) };
        }),
      };
    },
    history({ limit, before }) {
      const found = alertLog.attempt((kept) => kept.events({ limit: limit + 1, before }), []);
      const events = found.slice(0, limit).map(eventItem);
      const last = events.at(-1);
      return { events, ...(found.length > limit && last ? { next_cursor: String(last.id) } : {}) };
    },
    deliveries: (limit) => ({ deliveries: alertLog.attempt((kept) => kept.deliveries({ limit }), []).map(deliveryItem) }),
    acknowledge(fingerprint, { by, comment }) {
      const atEpochMs = now();
      const alert = engine.acknowledge(fingerprint, { by, atEpochMs, ...(comment === undefined ? {} : { comment }) });
      if (!alert) return undefined;
      alertLog.acknowledged(alert, atEpochMs, by, comment);
      state.saveIn(0);
      publish();
      return alertItem(alert);
    },
    silence(request, { by }) {
      const silence = createSilence(request, by, now());
      engine.silence(silence);
      alertLog.silence('silenced', silence, now(), by);
      state.saveIn(0);
      publish();
      return silenceItem(silence, now());
    },
    endSilence(id, { by }) {
      const silence = engine.silences().find((each) => each.id === id);
      if (!silence) return undefined;
      if (engine.endSilence(id, now())) {
        alertLog.silence('silence_ended', silence, now(), by);
        expired.add(id);
        state.saveIn(0);
        publish();
      }
      return silenceItem({ ...silence, endsAtEpochMs: Math.min(silence.endsAtEpochMs, now()) }, now());
    },
    async test(name) {
      const report = await notifier.test(name);
      if (!report) return undefined;
      const kept = alertLog.attempt((all) => all.deliveries({ limit: 50, receiver: name }), []).find(({ key }) => key === report.key);
      return kept ? deliveryItem(kept) : ({ id: 0, ...deliveryBody(report, redact) } satisfies Delivery);
    },
    receivers: () => entry.receivers.map(({ name }) => name),
    apply(next) {
      const savedEngine = engine.save();
      const savedNotifier = notifier.save();
      const before = notifier;
      entry = next;
      rules = rulesOf(next);
      engine = makeEngine();
      engine.restore(savedEngine);
      notifier = makeNotifier();
      notifier.restore(savedNotifier);
      void before.close(0);
      if (ticking !== undefined) system.clearTimer(ticking);
      tick();
      publish();
    },
    async close(limitMs) {
      if (isClosed) return;
      isClosed = true;
      stopListening();
      if (ticking !== undefined) system.clearTimer(ticking);
      listeners.clear();
      await notifier.close(limitMs);
      state.end();
    },
  };
}
