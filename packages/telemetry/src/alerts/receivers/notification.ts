/**
 * Owns what receivers are told: alerts, and several of them as one notification. Does not own when (`../delivery`) nor in which words (the receivers).
 *
 * Invariants
 * 1. The same notification has the same id in all its attempts.
 * 2. A notification fires while one of its alerts does.
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
  /** Where more is to be seen; `''`: nowhere. */
  readonly generatorUrl: string;
  /** Of the labels, 16 hexadecimal digits, as Prometheus has it. */
  readonly fingerprint: string;
}

/** One message to one receiver, about a group of alerts. */
export interface Notification {
  /** Of this notification alone: anyone who gets it twice knows it by this. */
  readonly id: string;
  /** The name of the receiver. */
  readonly receiver: string;
  /** When it was made. Milliseconds since 1970. */
  readonly at: number;
  /** What all its alerts share because they are grouped by it. */
  readonly groupLabels: Readonly<Record<string, string>>;
  /** The alerts of the group that fire or have ended since the last notification. */
  readonly alerts: readonly NotifiedAlert[];
  /** Alerts that are left out because there are too many. */
  readonly truncatedAlerts: number;
  /** Where the dashboard is; `''`: nowhere. */
  readonly externalUrl: string;
}

/** Where a request goes, and what opens the door there. Read anew for each attempt. */
export interface ReceiverAddress {
  /** Where requests are sent. */
  readonly url: string;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What a signature is made with. */
  readonly secret?: string | undefined;
  /** PagerDuty's name for an integration. */
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

/** Milliseconds since 1970 of this attempt. */
export type ToRequest = (notification: Notification, address: ReceiverAddress, atMs: number) => ReceiverRequest;

export function statusOf({ alerts }: Pick<Notification, 'alerts'>): 'firing' | 'resolved' {
  return alerts.some(({ status }) => status === 'firing') ? 'firing' : 'resolved';
}

/** What all of them have, with the same value. */
export function commonOf(sets: readonly Readonly<Record<string, string>>[]): Readonly<Record<string, string>> {
  const [first = {}, ...others] = sets;
  return Object.fromEntries(Object.entries(first).filter(([name, value]) => others.every((set) => set[name] === value)));
}

export function jsonRequest({ url, headers }: ReceiverAddress, body: string, more: Readonly<Record<string, string>> = {}): ReceiverRequest {
  return { url, headers: { 'user-agent': 'holdfast', ...headers, 'content-type': 'application/json', ...more }, body };
}
