/** Owns reading the alerts of the manifest: its rules in the form of the engine, its receivers with their secrets. */
import { type AlertRule, defaultAlertRules } from '@holdfast/core/alerts';
import type { AlertsEntry, ReceiverEntry } from '@holdfast/manifest';
import type { TextOrSecret } from '@holdfast/runners';
import { pagerdutyUrl, type Receiver, type ReceiverAddress } from '@holdfast/telemetry/alerts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the alert rules of a manifest's `alerts` entry. A window is rounded up to whole seconds, as Prometheus requires.
 * @throws RangeError for a threshold that cannot be used
 */
export function rulesOf({ rules }: AlertsEntry): readonly AlertRule[] {
  const { windowMs, ...same } = rules;
  return defaultAlertRules({
    ...same,
    // A window in Prometheus has whole seconds, and both must evaluate the same window.
    ...(windowMs === undefined ? {} : { windowMs: Math.ceil(windowMs / 1_000) * 1_000 }),
  });
}

export function receiverOf(entry: ReceiverEntry, environment: Environment): Receiver {
  const { name, kind, sendResolved } = entry;
  return { name, kind, sendResolved, address: () => addressOf(entry, environment) };
}

/** @throws Error when a variable is not set. */
function addressOf({ url, headers, secret, routingKey }: ReceiverEntry, environment: Environment): ReceiverAddress {
  const read = (value: TextOrSecret): string => reveal(value, environment);
  return {
    url: url === undefined ? pagerdutyUrl : read(url),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), read(value)])),
    ...(secret === undefined ? {} : { secret: read(secret) }),
    ...(routingKey === undefined ? {} : { routingKey: read(routingKey) }),
  };
}

function reveal(value: TextOrSecret, environment: Environment): string {
  if (typeof value === 'string') return value;
  const secret = environment[value.env];
  if (secret) return `${value.prefix ?? ''}${secret}`;
  const error = new Error(`The environment variable ${value.env} is not set. Set it before the gateway starts.`);
  throw Object.assign(error, { code: 'SECRET_MISSING' });
}

/** The address of a receiver without possible secrets: its path may be one. */
export function targetOf({ kind, url }: ReceiverEntry): string {
  if (url === undefined) return new URL(pagerdutyUrl).host;
  if (typeof url !== 'string') return `$${url.env}`;
  if (!URL.canParse(url)) return 'not an address';
  const { host, pathname } = new URL(url);
  return kind === 'slack' || pathname === '/' ? host : `${host}${pathname}`;
}
