/**
 * Owns the message to an incoming webhook of Slack.
 *
 * Invariants
 * 1. Nothing of an alert is read as markup: `&`, `<` and `>` are escaped, and so no link or mention can be smuggled in.
 * 2. No text and no list is longer than Slack takes; what is left out is counted.
 */
import { jsonRequest, type Notification, type NotifiedAlert, type ToRequest } from './notification.ts';
import { truncate, subjectOf, summaryOf, titleOf } from './texts.ts';

const longestHeader = 150;
const longestSection = 3_000;
const longestFallback = 4_000;
const longestUrl = 3_000;
/** Slack takes 50 blocks; nobody reads as many. */
const mostAlerts = 10;

/** Creates a message for an incoming webhook of Slack. Shows the first 10 alerts and counts the rest. */
export const slackRequest: ToRequest = (notification, address) =>
  jsonRequest(address, JSON.stringify({ text: fallback(notification), blocks: blocks(notification) }));

/** What a notification on a telephone shows. */
const fallback = (notification: Notification): string =>
  truncate(escape([titleOf(notification), ...notification.alerts.slice(0, mostAlerts).map(summaryOf)].join('\n')), longestFallback);

function blocks(notification: Notification): readonly object[] {
  const { alerts, truncatedAlerts, externalUrl } = notification;
  const left = alerts.length + truncatedAlerts - Math.min(alerts.length, mostAlerts);
  return [
    { type: 'header', text: { type: 'plain_text', text: truncate(titleOf(notification), longestHeader), emoji: false } },
    ...alerts.slice(0, mostAlerts).map(section),
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
    text: { type: 'mrkdwn', text: truncate([title, ...texts.map((text) => escape(text ?? ''))].join('\n'), longestSection) },
  };
}

/** `<!date^…>` is shown in the reader's own time zone. */
function contextText({ at, receiver }: Notification, left: number): string {
  const seconds = Math.floor(at / 1_000);
  const when = `<!date^${seconds}^{date_short_pretty} {time_secs}|${new Date(at).toISOString()}>`;
  return [...(left > 0 ? [`${left} more alerts`] : []), `Holdfast, ${line(receiver)}`, when].join(' · ');
}

/** Slack opens HTTP addresses only. */
function buttons(url: string): readonly object[] {
  if (!/^https?:\/\//.test(url) || url.length > longestUrl) return [];
  return [{ type: 'actions', elements: [{ type: 'button', text: { type: 'plain_text', text: 'Open the dashboard' }, url }] }];
}

/** Inside of emphasis: neither a line's end nor a mark that ends it. */
const line = (text: string): string => escape(text.replaceAll(/[\n\r*]+/g, ' '));

const escaped: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escape = (text: string): string => text.replaceAll(/[&<>]/g, (found) => escaped[found] ?? found);
