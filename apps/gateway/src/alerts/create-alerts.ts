/**
 * Owns the alerts of a gateway for the API: active alerts, rules, silences, receivers, and the log. Does not own the evaluation
 * (`alert-watch.ts`), the rules (`@holdfast/core/alerts`), the formats of receivers (`@holdfast/telemetry/alerts`) or the routes.
 */
import { alertExpression } from '@holdfast/telemetry/alerts';
import type { AlertHistory, AlertList, Delivery } from '../contract.ts';
import { alertActions } from './alert-actions.ts';
import { deliveryBody, deliveryItem, eventItem, ruleItem, silenceItem } from './alert-views.ts';
import { type AlertRoomOptions, AlertWatch } from './alert-watch.ts';
import type { Alerts } from './alerts.ts';
import { targetOf } from './read-rules.ts';

export function createAlerts(options: AlertRoomOptions): Alerts {
  const watch = new AlertWatch(options);
  const { alertLog } = watch;
  return {
    start: () => watch.start(),
    active: () => watch.items(),
    subscribe: (listener) => watch.subscribe(listener),
    list: () => listOf(watch),
    history: ({ limit, before }) => historyOf(watch, limit, before),
    deliveries: (limit) => ({ deliveries: alertLog.attempt((kept) => kept.deliveries({ limit }), []).map(deliveryItem) }),
    ...alertActions(watch),
    async test(name) {
      const report = await watch.notifier.test(name);
      if (!report) return undefined;
      const kept = alertLog.attempt((all) => all.deliveries({ limit: 50, receiver: name }), []).find(({ key }) => key === report.key);
      return kept ? deliveryItem(kept) : ({ id: 0, ...deliveryBody(report, options.redact) } satisfies Delivery);
    },
    receivers: () => watch.entry.receivers.map(({ name }) => name),
    apply: (entry) => watch.apply(entry),
    close: (limitMs) => watch.close(limitMs),
  };
}

function listOf(watch: AlertWatch): AlertList {
  const { engine, alertLog } = watch;
  const statuses = engine.rules();
  return {
    alerts: watch.items(),
    rules: watch.rules.map((rule) => ruleItem(rule, statuses, alertExpression)),
    silences: engine.silences().map((silence) => silenceItem(silence, watch.now())),
    receivers: watch.entry.receivers.map((receiver) => {
      const { name, kind } = receiver;
      const last = alertLog.attempt((kept) => kept.deliveries({ limit: 1, receiver: name })[0], undefined);
      return { name, kind, target: targetOf(receiver), ...(last ? { last_delivery: deliveryItem(last) } : {}) };
    }),
  };
}

function historyOf({ alertLog }: AlertWatch, limit: number, before: number | undefined): AlertHistory {
  const found = alertLog.attempt((kept) => kept.events({ limit: limit + 1, before }), []);
  const events = found.slice(0, limit).map(eventItem);
  const last = events.at(-1);
  return { events, ...(found.length > limit && last ? { next_cursor: String(last.id) } : {}) };
}
