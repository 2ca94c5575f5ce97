/**
 * Owns when receivers are notified: what is due goes out, what failed is tried again later. Does not own what fires, or the sending (`dispatcher.ts`).
 *
 * Invariants
 * 1. `update` returns at once and never throws, however the receivers are.
 * 2. There is no queue that could grow: what is still to be told follows from what fires and what was told.
 * 3. Of one group of a receiver one notification is on its way at a time, and each is delivered at least once.
 */
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
  /** From the first news of a group to its notification. @default 1000 */
  readonly groupWaitMs?: number | undefined;
  /** What continues firing is told again after this long. @default 14400000 */
  readonly repeatIntervalMs?: number | undefined;
  /** Where the dashboard is. @default '' */
  readonly externalUrl?: (() => string) | undefined;
  /** Applied to every text of an alert but its labels' names. @default none */
  readonly redact?: ((text: string) => string) | undefined;
  /** Over the usual patience: 10 s an attempt, 5 attempts within 2 minutes, a circuit for each receiver. */
  readonly policy?: ToolPolicy | undefined;
  /** @default fetch */
  readonly send?: Send | undefined;
  /** @default the machine */
  readonly system?: System | undefined;
  /** Hears of each delivery twice: when it begins and when it is over. What it throws is dropped. */
  readonly onDelivery?: ((report: DeliveryReport) => void) | undefined;
}

/** JSON, by receiver. */
export type SavedNotifier = Readonly<Record<string, SavedLedger>>;

/** Sends notifications of alerts to receivers. */
export interface Notifier {
  /** Takes all alerts that fire now; those that were told and are not among them are over. */
  update(firing: readonly FiringAlert[]): void;
  /** Sends a made-up alert, with one attempt. `undefined`: there is no such receiver. Never rejects. */
  test(receiver: string): Promise<DeliveryReport | undefined>;
  /** What each receiver knows of. */
  save(): SavedNotifier;
  /** Takes what `save` has given, also of receivers that are gone. */
  restore(saved: SavedNotifier): void;
  /** Begins nothing new, waits this long for what is on its way, and ends the rest. Never rejects. */
  close(limitMs: number): Promise<void>;
}

interface Post {
  readonly receiver: Receiver;
  readonly rules: PlanRules;
  ledger: Ledger;
}

/** Creates a notifier. Sends nothing before the first `update` or `test`. */
export function createNotifier(options: NotifierOptions): Notifier {
  const { receivers, groupBy = [], groupWaitMs = 1_000, repeatIntervalMs = 4 * 3_600_000, system = createSystem() } = options;
  const posts = new Map(receivers.map((receiver) => [receiver.name, postOf(receiver, { groupBy, groupWaitMs, repeatIntervalMs })]));
  const dispatcher = new Dispatcher({ ...options, system });
  let firing: readonly FiringAlert[] = [];
  let timer: TimerHandle | undefined;
  let isClosed = false;

  const deliverGroup = async ({ receiver, ledger }: Post, { key, labels, alerts, truncated }: DueGroup): Promise<void> => {
    ledger.underway.add(key);
    const more = { groupLabels: labels, truncatedAlerts: truncated.length };
    // It rejects only where a function of the host throws: tried again as any other failure.
    const done = await dispatcher.dispatch(receiver.name, alerts, more).catch(() => undefined);
    ledger.underway.delete(key);
    const now = system.epochMs();
    if (done?.report.status === 'delivered') noteDelivered(ledger, key, [...alerts, ...truncated], now);
    else noteFailure(ledger, key, now, done?.retryAfterMs);
    look();
  };

  /** Sends what is due, and comes back when more will be. */
  const look = (): void => {
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
    if (nextAt !== Infinity) timer = system.setTimer(Math.max(nextAt - now, 1), look, true);
  };

  return {
    update(alerts) {
      firing = alerts;
      look();
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

function postOf(receiver: Receiver, rules: Pick<PlanRules, 'groupBy' | 'groupWaitMs' | 'repeatIntervalMs'>): Post {
  const { perAlert, resendMs } = kindsOfReceiver[receiver.kind];
  return { receiver, rules: { ...rules, perAlert, resendMs }, ledger: createLedger() };
}
