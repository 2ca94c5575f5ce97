/**
 * Owns telling receivers: what is due goes out, each delivery is reported, what failed is tried again later. Does not own what fires.
 *
 * Invariants
 * 1. `update` returns at once and never throws, however the receivers are.
 * 2. There is no queue that could grow: what is still to be told follows from what fires and what was told.
 * 3. Of one group of a receiver one notification is on its way at a time, and each is delivered at least once.
 * 4. No report shows a secret.
 */
import {
  createSystem,
  defineTool,
  type System,
  type TimerHandle,
  type ToolFailure,
  type ToolPolicy,
  ToolExecutionService,
} from '@holdfast/core';
import { describeError } from '@holdfast/core/internal';
import type { NotifiedAlert, Notification } from '../receivers/notification.ts';
import { kindsOfReceiver, type Receiver } from '../receivers/receiver.ts';
import { deliver, fetchSend, type Send } from './send.ts';
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
import { notificationId, redactAlert } from './form.ts';
import { testAlert } from './test-alert.ts';

/** How a notification fares; the same `key` first waits, then is delivered or has failed. */
export interface DeliveryReport {
  /** The notification's id. */
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Name of the receiver. */
  readonly receiver: string;
  /** `waiting` when the delivery begins; it ends as `delivered` or `failed`. */
  readonly status: 'waiting' | 'delivered' | 'failed';
  /** Requests sent; 0 while it waits. */
  readonly attempts: number;
  /** Milliseconds from the begin of the delivery to its end. Absent while it waits. */
  readonly durationMs?: number;
  /** Fingerprints. */
  readonly alerts: readonly string[];
  /** Whether it was sent by `test`. */
  readonly isTest: boolean;
  /** Of the error, stable. */
  readonly code?: string;
  /** Why it failed, without secrets. Absent otherwise. */
  readonly error?: string;
}

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

const patience: ToolPolicy = {
  timeoutMs: 10_000,
  effect: 'idempotent',
  retry: { initialDelayMs: 1_000, maxDelayMs: 30_000, maxAttempts: 5, maxTotalTimeMs: 120_000 },
  breaker: { failureThreshold: 5, openMs: 30_000 },
  concurrency: { limit: 4, queue: 100 },
};

/** Anyone who moved has to be found by people: a secret may be in what is sent. */
const redirections = [301, 302, 303, 307, 308] as const;

interface Post {
  readonly receiver: Receiver;
  readonly rules: PlanRules;
  ledger: Ledger;
}

/** Creates a notifier. Sends nothing before the first `update` or `test`. */
export function createNotifier(options: NotifierOptions): Notifier {
  const { receivers, groupBy = [], groupWaitMs = 1_000, repeatIntervalMs = 4 * 3_600_000, externalUrl, onDelivery } = options;
  const { system = createSystem(), send = fetchSend, policy = {}, redact = (text: string) => text } = options;
  const posts = new Map(receivers.map((receiver) => [receiver.name, postOf(receiver, { groupBy, groupWaitMs, repeatIntervalMs })]));
  const service = new ToolExecutionService({
    system,
    policy: { ...patience, ...policy },
    tools: receivers.map((receiver) => toolOf(receiver, send, () => system.epochMs())),
  });
  const running = new Set<Promise<unknown>>();
  const ending = new AbortController();
  let firing: readonly FiringAlert[] = [];
  let timer: TimerHandle | undefined;
  let isClosed = false;

  /** A listener that fails is no fault of the receiver's. */
  const announce = (report: DeliveryReport): void => {
    try {
      onDelivery?.(report);
    } catch {
      // Nobody here could do anything about it.
    }
  };

  const dispatch = async (receiver: string, alerts: readonly NotifiedAlert[], more: Partial<Notification>, isTest: boolean) => {
    const at = system.epochMs();
    const told = alerts.map((alert) => redactAlert(alert, redact));
    const whole = { receiver, at, groupLabels: {}, alerts: told, truncatedAlerts: 0, externalUrl: externalUrl?.() ?? '', ...more };
    const notification: Notification = { ...whole, id: notificationId(whole, isTest) };
    const begun = { key: notification.id, at, receiver, alerts: alerts.map(({ fingerprint }) => fingerprint), isTest };
    announce({ ...begun, status: 'waiting', attempts: 0 });
    const call = { toolName: receiver, arguments: { notification }, idempotencyKey: notification.id };
    // Anyone who tests waits for the answer.
    const policyOfTest = { retry: { maxAttempts: 1 } };
    const result = await service.executeTool(isTest ? { ...call, policy: policyOfTest } : call, { signal: ending.signal });
    const { attempts, executionTime: durationMs, error } = result;
    const done: DeliveryReport =
      error === undefined
        ? { ...begun, status: 'delivered', attempts, durationMs }
        : { ...begun, status: 'failed', attempts, durationMs, code: error.code, error: reasonOf(error) };
    announce(done);
    return { report: done, retryAfterMs: error?.retryAfterMs };
  };

  const deliverGroup = async ({ receiver, ledger }: Post, { key, labels, alerts, truncated }: DueGroup): Promise<void> => {
    ledger.underway.add(key);
    const more = { groupLabels: labels, truncatedAlerts: truncated.length };
    // It rejects only where a function of the host throws: tried again as any other failure.
    const done = await dispatch(receiver.name, alerts, more, false).catch(() => undefined);
    ledger.underway.delete(key);
    const now = system.epochMs();
    if (done?.report.status === 'delivered') noteDelivered(ledger, key, [...alerts, ...truncated], now);
    else noteFailure(ledger, key, now, done?.retryAfterMs);
    look();
  };

  const track = <Value>(work: Promise<Value>): Promise<Value> => {
    running.add(work);
    const end = (): void => void running.delete(work);
    void work.then(end, end);
    return work;
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
      for (const due of plan.due) void track(deliverGroup(post, due));
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
      if (!post) return undefined;
      const alert = testAlert(name, system.epochMs());
      const { report } = await track(dispatch(name, [alert], {}, true));
      // What would stay open as an incident is closed again.
      if (post.rules.perAlert && report.status === 'delivered')
        await track(dispatch(name, [{ ...alert, status: 'resolved', endsAt: system.epochMs() }], {}, true));
      return report;
    },
    save: () => Object.fromEntries([...posts].map(([name, { ledger }]) => [name, saveLedger(ledger)])),
    restore(saved) {
      for (const [name, post] of posts) post.ledger = createLedger(saved[name]);
    },
    async close(limitMs) {
      isClosed = true;
      if (timer !== undefined) system.clearTimer(timer);
      await waitAtMost(system, limitMs, Promise.allSettled(running));
      ending.abort();
      await Promise.allSettled(running);
      await service.close();
    },
  };
}

/** In the receiver's or the network's own words, where there are any. */
const reasonOf = ({ cause, message }: ToolFailure): string => (cause === undefined ? message : describeError(cause).message);

function postOf(receiver: Receiver, rules: Pick<PlanRules, 'groupBy' | 'groupWaitMs' | 'repeatIntervalMs'>): Post {
  const { perAlert, resendMs } = kindsOfReceiver[receiver.kind];
  return { receiver, rules: { ...rules, perAlert, resendMs }, ledger: createLedger() };
}

function toolOf({ name, kind, address }: Receiver, send: Send, now: () => number) {
  const { toRequest, policy } = kindsOfReceiver[kind];
  return defineTool({
    name,
    ...policy,
    classification: [{ status: redirections, as: 'permanent' }],
    run: async ({ notification }: { readonly notification: Notification }, { signal }) => {
      const where = address();
      await deliver(send, toRequest(notification, where, now()), where, signal);
      return 'delivered';
    },
  });
}

async function waitAtMost(system: System, limitMs: number, work: Promise<unknown>): Promise<void> {
  let timer: TimerHandle | undefined;
  const late = new Promise<void>((resolve) => {
    timer = system.setTimer(limitMs, resolve);
  });
  await Promise.race([work, late]);
  if (timer) system.clearTimer(timer);
}
