/**
 * Owns the message to an incoming webhook of Slack.
 *
 * Invariants
 * 1. No text of an alert is read as markup: `&`, `<` and `>` are escaped, so no link or mention can be injected.
 * 2. No text or list exceeds Slack's limits; what is left out is counted.
 */
import { jsonRequest, type Notification, type NotifiedAlert, type ToRequest } from './notification.ts';
import { truncate, subjectOf, summaryOf, titleOf } from './sentences.ts';

const maxHeaderLength = 150;
const maxSectionLength = 3_000;
const maxFallbackLength = 4_000;
const maxUrlLength = 3_000;
/** Slack allows 50 blocks, but few are readable. */
const maxAlerts = 10;

/** Creates a message for an incoming webhook of Slack. Shows the first 10 alerts and counts the rest. */
export const slackRequest: ToRequest = (notification, address) =>
  jsonRequest(address, JSON.stringify({ text: fallback(notification), blocks: blocks(notification) }));

/** The text of a push notification. */
const fallback = (notification: Notification): string =>
  truncate(escape([titleOf(notification), ...notification.alerts.slice(0, maxAlerts).map(summaryOf)].join('\n')), maxFallbackLength);

function blocks(notification: Notification): readonly object[] {
  const { alerts, truncatedAlerts, externalUrl } = notification;
  const left = alerts.length + truncatedAlerts - Math.min(alerts.length, maxAlerts);
  return [
    { type: 'header', text: { type: 'plain_text', text: truncate(titleOf(notification), maxHeaderLength), emoji: false } },
    ...alerts.slice(0, maxAlerts).map(section),
    { type: 'context', elements: [{ type: 'mrkdwn', text: contextText(notification, left) }] },
    ...buttons(alerts.length === 1 ? alerts[0]?.generatorUrl || externalUrl : externalUrl),
  ];
}

function section(alert: NotifiedAlert): object {
  const { status, labels, annotations } = alert;
  const title = `*${status === 'firing' ? 'Firing' : 'Resolved'}: ${line(subjectOf(alert))}* (${line(labels['severity'] ?? 'none')})`;
  const texts = [summaryOf(alert), annotations['description']].filter(
    (text, index, all) => text !== undefined && all.indexOf(text) === index,
  );
  return {
    type: 'section',
    text: { type: 'mrkdwn', text: truncate([title, ...texts.map((text) => escape(text ?? ''))].join('\n'), maxSectionLength) },
  };
}

/** `<!date^…>` is shown in the reader's own time zone. */
function contextText({ at, receiver }: Notification, left: number): string {
  const seconds = Math.floor(at / 1_000);
  const when = `<!date^${seconds}^{date_short_pretty} {time_secs}|${new Date(at).toISOString()}>`;
  return [...(left > 0 ? [`${left} more alerts`] : []), `Holdfast, ${line(receiver)}`, when].join(' · ');
}

/** Slack links only HTTP addresses. */
function buttons(url: string): readonly object[] {
  if (!/^https?:\/\//.test(url) || url.length > maxUrlLength) return [];
  return [{ type: 'actions', elements: [{ type: 'button', text: { type: 'plain_text', text: 'Open the dashboard' }, url }] }];
}

/** Inside emphasis: without line breaks and without the mark that ends it. */
const line = (text: string): string => escape(text.replaceAll(/[\n\r*]+/g, ' '));

const escaped: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escape = (text: string): string => text.replaceAll(/[&<>]/g, (found) => escaped[found] ?? found);
