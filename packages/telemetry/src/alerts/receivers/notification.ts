/**
 * Owns notifications: alerts, and several of them as one. Does not own when they are sent (`../delivery`) or in which format (the receivers).
 *
 * Invariants
 * 1. A notification has the same id in all its attempts.
 * 2. A notification is firing while one of its alerts is.
 */

/** An alert as receivers are notified of it. */
export interface NotifiedAlert {
  /** `resolved` once the alert has ended. */
  readonly status: 'firing' | 'resolved';
  /** With `alertname`; the alert's identity. */
  readonly labels: Readonly<Record<string, string>>;
  /** Texts of the alert, such as `summary` and `description`. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  readonly startsAt: number;
  /** Milliseconds since 1970; absent while it fires. */
  readonly endsAt?: number | undefined;
  /** Address with details; `''` if there is none. */
  readonly generatorUrl: string;
  /** Hash of the labels, 16 hexadecimal digits, as in Prometheus. */
  readonly fingerprint: string;
}

/** One message to one receiver, about a group of alerts. */
export interface Notification {
  /** Unique per notification, so that a receiver can detect a repeated delivery. */
  readonly id: string;
  /** The name of the receiver. */
  readonly receiver: string;
  /** When it was created. Milliseconds since 1970. */
  readonly at: number;
  /** The labels by which its alerts are grouped. */
  readonly groupLabels: Readonly<Record<string, string>>;
  /** The alerts of the group that fire or have ended since the last notification. */
  readonly alerts: readonly NotifiedAlert[];
  /** Number of alerts that are left out because there are too many. */
  readonly truncatedAlerts: number;
  /** Address of the dashboard; `''` if there is none. */
  readonly externalUrl: string;
}

/** Address and credentials of a request. Read again for each attempt. */
export interface ReceiverAddress {
  /** Where requests are sent. */
  readonly url: string;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Key of the signature. */
  readonly secret?: string | undefined;
  /** PagerDuty's key of an integration. */
  readonly routingKey?: string | undefined;
}

/** A request to be sent by POST. */
export interface ReceiverRequest {
  /** Where the request is sent. */
  readonly url: string;
  /** Headers of the request, `content-type` included. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
}

/** Time of this attempt, in milliseconds since 1970. */
export type ToRequest = (notification: Notification, address: ReceiverAddress, atMs: number) => ReceiverRequest;

export function statusOf({ alerts }: Pick<Notification, 'alerts'>): 'firing' | 'resolved' {
  return alerts.some(({ status }) => status === 'firing') ? 'firing' : 'resolved';
}

/** The entries that all of them have with the same value. */
export function commonOf(sets: readonly Readonly<Record<string, string>>[]): Readonly<Record<string, string>> {
  const [first = {}, ...others] = sets;
  return Object.fromEntries(Object.entries(first).filter(([name, value]) => others.every((set) => set[name] === value)));
}

export function jsonRequest({ url, headers }: ReceiverAddress, body: string, more: Readonly<Record<string, string>> = {}): ReceiverRequest {
  return { url, headers: { 'user-agent': 'holdfast', ...headers, 'content-type': 'application/json', ...more }, body };
}
