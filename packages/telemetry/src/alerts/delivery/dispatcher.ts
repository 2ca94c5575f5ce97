/**
 * Owns sending one notification, as a tool call of its receiver, and reporting it. Does not own when something is sent (`notifier.ts`).
 *
 * Invariants
 * 1. Each delivery is reported twice: when it begins and when it ends.
 * 2. No report contains a secret.
 */
import { createHash } from 'node:crypto';
import { defineTool, type System, type ToolFailure, type ToolPolicy, ToolExecutionService } from '@holdfast/core';
import { describeError } from '@holdfast/core/internal';
import { waitAtMost } from '@holdfast/core/internal/plain';
import type { NotifiedAlert, Notification } from '../receivers/notification.ts';
import { kindsOfReceiver, type Receiver } from '../receivers/receiver.ts';
import { deliver, fetchSend, type Send } from './send.ts';
import { testAlert } from './test-alert.ts';

/** The state of a delivery; the same `key` first waits, then is delivered or has failed. */
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
  /** Milliseconds from the start of the delivery to its end. Absent while it waits. */
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

export interface DispatcherOptions {
  readonly receivers: readonly Receiver[];
  readonly system: System;
  readonly externalUrl?: (() => string) | undefined;
  readonly redact?: ((text: string) => string) | undefined;
  readonly policy?: ToolPolicy | undefined;
  readonly send?: Send | undefined;
  readonly onDelivery?: ((report: DeliveryReport) => void) | undefined;
}

export interface Dispatched {
  readonly report: DeliveryReport;
  readonly retryAfterMs: number | undefined;
}

const deliveryPolicy: ToolPolicy = {
  timeoutMs: 10_000,
  effect: 'idempotent',
  retry: { initialDelayMs: 1_000, maxDelayMs: 30_000, maxAttempts: 5, maxTotalTimeMs: 120_000 },
  breaker: { failureThreshold: 5, openMs: 30_000 },
  concurrency: { limit: 4, queue: 100 },
};

/** A redirect is not followed: a notification may contain a secret. */
const redirections = [301, 302, 303, 307, 308] as const;

export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #service: ToolExecutionService;
  readonly #running = new Set<Promise<unknown>>();
  readonly #ending = new AbortController();

  constructor(options: DispatcherOptions) {
    const { receivers, system, send = fetchSend, policy = {} } = options;
    this.#options = options;
    this.#service = new ToolExecutionService({
      system,
      policy: { ...deliveryPolicy, ...policy },
      tools: receivers.map((receiver) => toolOf(receiver, send, () => system.epochMs())),
    });
  }

  /** Rejects only if a function of the host throws. */
  async dispatch(
    receiver: string,
    alerts: readonly NotifiedAlert[],
    more: Partial<Notification> = {},
    isTest = false,
  ): Promise<Dispatched> {
    const notification = this.#notificationOf(receiver, alerts, more, isTest);
    const { id, at } = notification;
    const begun = { key: id, at, receiver, alerts: alerts.map(({ fingerprint }) => fingerprint), isTest };
    this.#announce({ ...begun, status: 'waiting', attempts: 0 });
    const call = { toolName: receiver, arguments: { notification }, idempotencyKey: id };
    // A test is awaited by a person.
    const policyOfTest = { retry: { maxAttempts: 1 } };
    const request = isTest ? { ...call, policy: policyOfTest } : call;
    const { attempts, executionTime, error } = await this.#service.executeTool(request, { signal: this.#ending.signal });
    const done = { ...begun, attempts, durationMs: executionTime };
    const report: DeliveryReport =
      error === undefined ? { ...done, status: 'delivered' } : { ...done, status: 'failed', code: error.code, error: reasonOf(error) };
    this.#announce(report);
    return { report, retryAfterMs: error?.retryAfterMs };
  }

  /** Sends a test alert. An incident that would stay open is closed again: `isIncident`. */
  async test(receiver: string, isIncident: boolean): Promise<DeliveryReport> {
    const { system } = this.#options;
    const alert = testAlert(receiver, system.epochMs());
    const { report } = await this.track(this.dispatch(receiver, [alert], {}, true));
    if (isIncident && report.status === 'delivered')
      await this.track(this.dispatch(receiver, [{ ...alert, status: 'resolved', endsAt: system.epochMs() }], {}, true));
    return report;
  }

  /** `close` waits for it. */
  track<Value>(work: Promise<Value>): Promise<Value> {
    this.#running.add(work);
    const end = (): void => void this.#running.delete(work);
    void work.then(end, end);
    return work;
  }

  /** Waits this long for running deliveries, then aborts the rest. */
  async close(limitMs: number): Promise<void> {
    await waitAtMost(this.#options.system, Promise.allSettled(this.#running), limitMs);
    this.#ending.abort();
    await Promise.allSettled(this.#running);
    await this.#service.close();
  }

  #notificationOf(receiver: string, alerts: readonly NotifiedAlert[], more: Partial<Notification>, isTest: boolean): Notification {
    const { system, externalUrl, redact = (text: string) => text } = this.#options;
    const content = {
      receiver,
      at: system.epochMs(),
      groupLabels: {},
      alerts: alerts.map((alert) => redactAlert(alert, redact)),
      truncatedAlerts: 0,
      externalUrl: externalUrl?.() ?? '',
      ...more,
    };
    return { ...content, id: notificationId(content, isTest) };
  }

  /** An error of the listener is not a failure of the receiver. */
  #announce(report: DeliveryReport): void {
    try {
      this.#options.onDelivery?.(report);
    } catch {
      // There is nowhere to report it.
    }
  }
}

/** The message of the receiver or of the network, if there is one. */
const reasonOf = ({ cause, message }: ToolFailure): string => (cause === undefined ? message : describeError(cause).message);

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

/** Equal for notifications of the same alerts at the same moment. */
function notificationId({ receiver, at, alerts }: Omit<Notification, 'id'>, isTest: boolean): string {
  const hash = createHash('sha256').update(`${receiver}\n${at}\n${isTest}`);
  for (const { fingerprint, status, startsAt } of alerts) hash.update(`\n${fingerprint} ${status} ${startsAt}`);
  return `alert_${hash.digest('hex').slice(0, 24)}`;
}

/** The names of labels and annotations are fixed; their values may quote a tool. */
function redactAlert(alert: NotifiedAlert, redact: (text: string) => string): NotifiedAlert {
  return { ...alert, labels: values(alert.labels, redact), annotations: values(alert.annotations, redact) };
}

function values(texts: Readonly<Record<string, string>>, redact: (text: string) => string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, redact(text)]));
}
