/** Owns the events of PagerDuty (Events API v2). An event is about one alert: `dedup_key` is its fingerprint, so that it is one incident. */
import { jsonRequest, type Notification, type NotifiedAlert, type ToRequest } from './notification.ts';
import { truncate, nameOf, subjectOf, summaryOf } from './sentences.ts';

/** Public address of PagerDuty's Events API v2. */
export const pagerdutyUrl = 'https://events.pagerduty.com/v2/enqueue';

const maxSummaryLength = 1_024;
const maxBytes = 512_000;

type Severity = 'critical' | 'error' | 'warning' | 'info';
const severities: ReadonlySet<string> = new Set(['critical', 'error', 'warning', 'info']);

/**
 * Creates an event of PagerDuty's Events API v2: a trigger while the alert fires, a resolve afterwards.
 * @throws TypeError when there is no routing key, or not exactly one alert.
 */
export const pagerdutyRequest: ToRequest = (notification, address) => {
  const { routingKey } = address;
  const [alert, ...others] = notification.alerts;
  if (!routingKey) throw new TypeError('PagerDuty requires a non-empty routing key.');
  if (alert === undefined || others.length > 0) throw new TypeError('A PagerDuty event can have only one alert.');
  const pagerdutyEvent = event(notification, alert, routingKey);
  const text = JSON.stringify(pagerdutyEvent);
  const fits = Buffer.byteLength(text) <= maxBytes;
  return jsonRequest(address, fits ? text : JSON.stringify(withoutDetails(pagerdutyEvent)));
};

interface PagerdutyEvent {
  readonly routing_key: string;
  readonly event_action: 'trigger' | 'resolve';
  readonly dedup_key: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly client: 'Holdfast';
  readonly client_url?: string;
  readonly links?: readonly { readonly href: string; readonly text: string }[];
}

function event({ externalUrl }: Notification, alert: NotifiedAlert, routingKey: string): PagerdutyEvent {
  const { status, labels, annotations, fingerprint, startsAt, generatorUrl } = alert;
  return {
    routing_key: routingKey,
    event_action: status === 'firing' ? 'trigger' : 'resolve',
    dedup_key: fingerprint,
    payload: {
      summary: truncate(`${subjectOf(alert)}: ${summaryOf(alert)}`, maxSummaryLength),
      source: 'holdfast',
      severity: severityOf(labels['severity']),
      timestamp: new Date(startsAt).toISOString(),
      ...(labels['tool'] === undefined ? {} : { component: truncate(labels['tool'], maxSummaryLength) }),
      class: truncate(nameOf(alert), maxSummaryLength),
      custom_details: { ...labels, ...annotations },
    },
    client: 'Holdfast',
    ...(externalUrl === '' ? {} : { client_url: externalUrl }),
    ...(generatorUrl === '' ? {} : { links: [{ href: generatorUrl, text: 'What happened' }] }),
  };
}

const severityOf = (word: string | undefined): Severity => (word !== undefined && severities.has(word) ? (word as Severity) : 'error');

/** Larger events are refused. */
function withoutDetails(pagerdutyEvent: PagerdutyEvent): PagerdutyEvent {
  const { custom_details: _left, ...payload } = pagerdutyEvent.payload;
  return { ...pagerdutyEvent, payload: { ...payload, custom_details: { left_out: 'The details are too large.' } } };
}
