/**
 * Owns when receivers are notified: what is due is sent, what failed is retried later. Does not own what fires, or the sending (`dispatcher.ts`).
 *
 * Invariants
 * 1. `update` returns at once and never throws, whatever state the receivers are in.
 * 2. There is no queue that could grow: what is still to be sent follows from what fires and what was sent.
 * 3. There is one delivery at a time per receiver and group, and each notification is delivered at least once.
 */
import { checkOptions, checkRule, delay, listOf, period, refuse, withMethods, type Fields } from '@holdfast/core/internal/plain';
import { createSystem, type System, type TimerHandle, type ToolPolicy } from '@holdfast/core';
import { kindsOfReceiver, type Receiver } from '../receivers/receiver.ts';
import { type DeliveryReport, Dispatcher } from './dispatcher.ts';
import {
  createLedger,
  type FiringAlert,
  type Ledger,
  noteDelivered,
  noteEnds,
  noteFailure,
  saveLedger,
  type SavedLedger,
} from './ledger.ts';
import { type DueGroup, planNotifications, type PlanRules } from './plan.ts';
import type { Send } from './send.ts';

/** Who receives notifications, and when. */
export interface NotifierOptions {
  /** Where notifications go. Their names are unique. */
  readonly receivers: readonly Receiver[];
  /** Names of labels that alerts of one notification share. @default [], all are in one */
  readonly groupBy?: readonly string[] | undefined;
  /** From the first change in a group to its notification. @default 1000 */
  readonly groupWaitMs?: number | undefined;
  /** From a notification of a group to the next one, unless an alert begins that was not sent within the last hour. @default 300000 */
  readonly groupIntervalMs?: number | undefined;
  /** An alert that continues to fire is sent again after this long. @default 14400000 */
  readonly repeatIntervalMs?: number | undefined;
  /** Address of the dashboard. @default '' */
  readonly externalUrl?: (() => string) | undefined;
  /** Applied to every text of an alert except the names of its labels. @default none */
  readonly redact?: ((text: string) => string) | undefined;
  /** Overrides the default policy: 10 s per attempt, 5 attempts within 2 minutes, a circuit per receiver. */
  readonly policy?: ToolPolicy | undefined;
  /** @default fetch */
  readonly send?: Send | undefined;
  /** @default the system clock and timers */
  readonly system?: System | undefined;
  /** Called twice per delivery: when it begins and when it ends. What it throws is ignored. */
  readonly onDelivery?: ((report: DeliveryReport) => void) | undefined;
}

/** JSON, by receiver. */
export type SavedNotifier = Readonly<Record<string, SavedLedger>>;

/** Sends notifications of alerts to receivers. */
export interface Notifier {
  /** Takes all alerts that fire now. Alerts that were sent and are not among them have ended. */
  update(firing: readonly FiringAlert[]): void;
  /** Sends a test alert, with one attempt. Resolves to `undefined` if there is no such receiver. Never rejects. */
  test(receiver: string): Promise<DeliveryReport | undefined>;
  /** Returns what each receiver was notified of. */
  save(): SavedNotifier;
  /** Restores what `save` returned; receivers that no longer exist are ignored. */
  restore(saved: SavedNotifier): void;
  /** Starts no delivery, waits this long for running ones, then aborts the rest. Never rejects. */
  close(limitMs: number): Promise<void>;
}

interface Post {
  readonly receiver: Receiver;
  readonly rules: PlanRules;
  ledger: Ledger;
}

const receiverFields: Fields = { name: 'string', kind: Object.keys(kindsOfReceiver), address: 'function', sendResolved: 'boolean' };

const receivers = listOf(
  (receiver, place) => checkOptions(receiverFields, receiver, place, ['name', 'kind', 'address']),
  'an array of receivers',
);

const notifierFields: Fields = {
  receivers: (value, field) => {
    checkRule(receivers, value, field);
    const names = (value as readonly Receiver[]).map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) < index);
    if (twice !== undefined) refuse(field, twice, 'receivers with unique names');
  },
  groupBy: listOf('string', 'an array of labels'),
  groupWaitMs: delay,
  groupIntervalMs: delay,
  repeatIntervalMs: period,
  externalUrl: 'function',
  redact: 'function',
  // The service of the notifier checks its fields.
  policy: 'object',
  send: 'function',
  system: withMethods('now', 'epochMs', 'setTimer', 'clearTimer'),
  onDelivery: 'function',
};

/** Creates a notifier. Sends nothing before the first `update` or `test`. @throws TypeError | RangeError for an invalid option */
export function createNotifier(options: NotifierOptions): Notifier {
  checkOptions(notifierFields, options, 'createNotifier', ['receivers']);
  const { receivers, groupBy = [], groupWaitMs = 1_000, groupIntervalMs = 300_000, repeatIntervalMs = 4 * 3_600_000 } = options;
  const { system = createSystem() } = options;
  const times = { groupBy, groupWaitMs, groupIntervalMs, repeatIntervalMs };
  const posts = new Map(receivers.map((receiver) => [receiver.name, postOf(receiver, times)]));
  const dispatcher = new Dispatcher({ ...options, system });
  let firing: readonly FiringAlert[] = [];
  let timer: TimerHandle | undefined;
  let isClosed = false;

  const deliverGroup = async ({ receiver, ledger }: Post, { key, labels, alerts, truncated }: DueGroup): Promise<void> => {
    ledger.underway.add(key);
    const more = { groupLabels: labels, truncatedAlerts: truncated.length };
    // It rejects only if a function of the host throws: retried like any other failure.
    const done = await dispatcher.dispatch(receiver.name, alerts, more).catch(() => undefined);
    ledger.underway.delete(key);
    const now = system.epochMs();
    if (done?.report.status === 'delivered') noteDelivered(ledger, key, [...alerts, ...truncated], now);
    else noteFailure(ledger, key, now, done?.retryAfterMs);
    sendDue();
  };

  /** Sends what is due, and sets a timer for the next due time. */
  const sendDue = (): void => {
    if (timer !== undefined) system.clearTimer(timer);
    timer = undefined;
    if (isClosed) return;
    const now = system.epochMs();
    const alive = new Set(firing.map(({ fingerprint }) => fingerprint));
    let nextAt = Infinity;
    for (const post of posts.values()) {
      noteEnds(post.ledger, alive, now, post.receiver.sendResolved ?? true);
      const plan = planNotifications(post.rules, post.ledger, firing, now);
      for (const due of plan.due) void dispatcher.track(deliverGroup(post, due));
      nextAt = Math.min(nextAt, plan.nextAt);
    }
    if (nextAt !== Infinity) timer = system.setTimer(Math.max(nextAt - now, 1), sendDue, true);
  };

  return {
    update(alerts) {
      firing = alerts;
      sendDue();
    },
    async test(name) {
      const post = posts.get(name);
      return post && dispatcher.test(name, post.rules.perAlert);
    },
    save: () => Object.fromEntries([...posts].map(([name, { ledger }]) => [name, saveLedger(ledger)])),
    restore(saved) {
      for (const [name, post] of posts) post.ledger = createLedger(saved[name]);
    },
    async close(limitMs) {
      isClosed = true;
      if (timer !== undefined) system.clearTimer(timer);
      await dispatcher.close(limitMs);
    },
  };
}

function postOf(receiver: Receiver, rules: Pick<PlanRules, 'groupBy' | 'groupWaitMs' | 'groupIntervalMs' | 'repeatIntervalMs'>): Post {
  const { perAlert, resendMs } = kindsOfReceiver[receiver.kind];
  return { receiver, rules: { ...rules, perAlert, resendMs }, ledger: createLedger() };
}
