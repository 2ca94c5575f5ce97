/** A real Alertmanager accepts pushed alerts, and its notifications equal those of our webhook, byte for byte. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNotifier, type WebhookBody } from '../../src/alerts/index.ts';
import { webhookRequest } from '../../src/alerts/receivers/webhook.ts';
import { startAlertmanager, type RealAlertmanager } from './alertmanager.ts';
import { openInbox, type Inbox } from './inbox.ts';
import { firing, notification, notified } from './notices.ts';

let inbox: Inbox;
let alertmanager: RealAlertmanager;

beforeAll(async () => {
  inbox = await openInbox(() => ({ status: 200 }));
  alertmanager = await startAlertmanager({
    route: { receiver: 'operators', group_by: ['alertname', 'tool'], group_wait: '0s', group_interval: '1s', repeat_interval: '1h' },
    receivers: [{ name: 'operators', webhook_configs: [{ url: `${inbox.url}/am`, send_resolved: true }] }],
  });
});

afterAll(async () => {
  await alertmanager[Symbol.asyncDispose]();
  await inbox[Symbol.asyncDispose]();
});

const bodyOf = ({ body }: { readonly body: string }): WebhookBody => JSON.parse(body) as WebhookBody;

test('from the start of an alert to its end', async () => {
  const startsAt = Date.now() - 5_120;
  const alert = firing('CircuitOpen', { startsAt });
  const reports: string[] = [];
  const notifier = createNotifier({
    receivers: [{ name: 'alertmanager', kind: 'alertmanager', address: () => ({ url: alertmanager.url }) }],
    groupWaitMs: 0,
    onDelivery: ({ status }) => reports.push(status),
  });
  notifier.update([alert]);
  const begun = await inbox.waitFor(({ body }) => body.includes('"status":"firing"'));
  const known = (await (await fetch(`${alertmanager.url}/api/v2/alerts`)).json()) as { fingerprint: string }[];
  expect(known.map(({ fingerprint }) => fingerprint)).toEqual([alert.fingerprint]);

  // The end it received is in the future, and is not passed on.
  const ours = webhookRequest(
    notification([notified('CircuitOpen', { startsAt })], {
      groupLabels: { alertname: 'CircuitOpen', tool: 'search' },
      externalUrl: alertmanager.url,
    }),
    { url: inbox.url },
    Date.now(),
  );
  expect(begun.body).toBe(ours.body);
  expect(begun.headers['content-type']).toBe(ours.headers['content-type']);

  notifier.update([]);
  const over = await inbox.waitFor(({ body }) => body.includes('"status":"resolved"'));
  const endsAt = Date.parse(bodyOf(over).alerts[0]?.endsAt ?? '');
  const oursOver = webhookRequest(
    notification([notified('CircuitOpen', { startsAt, status: 'resolved', endsAt })], {
      groupLabels: { alertname: 'CircuitOpen', tool: 'search' },
      externalUrl: alertmanager.url,
    }),
    { url: inbox.url },
    Date.now(),
  );
  expect(over.body).toBe(oursOver.body);
  expect(reports).toEqual(['waiting', 'delivered', 'waiting', 'delivered']);
  await notifier.close(1_000);
});

test('an alert with characters that encoders treat differently', async () => {
  const odd = 'a <b> & "c" \\ \u2028 é 😀 \u007f\u0001\t';
  const startsAt = Date.now() - 1_000;
  const alert = firing('Odd', { startsAt, tool: odd, annotations: { summary: odd } });
  const notifier = createNotifier({
    receivers: [{ name: 'alertmanager', kind: 'alertmanager', address: () => ({ url: `${alertmanager.url}/` }) }],
    groupWaitMs: 0,
  });
  notifier.update([alert]);
  const received = await inbox.waitFor(({ body }) => body.includes('"Odd"'));
  expect(bodyOf(received).alerts[0]).toMatchObject({
    labels: { tool: odd },
    annotations: { summary: odd },
    fingerprint: alert.fingerprint,
  });
  const { isMuted: _internal, ...plain } = alert;
  const { body } = webhookRequest(
    notification([{ ...plain, status: 'firing' }], { groupLabels: { alertname: 'Odd', tool: odd }, externalUrl: alertmanager.url }),
    { url: inbox.url },
    Date.now(),
  );
  expect(bodyOf({ body }).alerts).toEqual(bodyOf(received).alerts);
  expect({ ...bodyOf({ body }), groupKey: '' }).toEqual({ ...bodyOf(received), groupKey: '' });
  await notifier.close(1_000);
});
