/** Over a socket: each kind of receiver accepts its requests. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNotifier, type DeliveryReport, type Receiver } from '../../src/alerts/index.ts';
import { type Inbox, type Letter, openInbox, type Reply } from './inbox.ts';
import { firing } from './notices.ts';

const strict = (letter: Letter): Reply => {
  const body = JSON.parse(letter.body) as Record<string, unknown>;
  if (letter.headers['content-type'] !== 'application/json') return { status: 415 };
  switch (letter.path) {
    case '/services/x':
      return Array.isArray(body['blocks']) && typeof body['text'] === 'string'
        ? { status: 200, body: 'ok' }
        : { status: 400, body: 'invalid_payload' };
    case '/v2/enqueue':
      return body['routing_key'] === 'routing' && body['dedup_key'] !== ''
        ? { status: 202, body: '{"status":"success"}' }
        : { status: 400 };
    case '/signed':
      return typeof letter.headers['webhook-signature'] === 'string' ? { status: 204 } : { status: 401 };
    case '/api/v2/alerts':
      return Array.isArray(body) ? { status: 200 } : { status: 400 };
    default:
      return body['version'] === '4' ? { status: 200 } : { status: 400 };
  }
};
let inbox: Inbox;
beforeAll(async () => {
  inbox = await openInbox(strict);
});
afterAll(() => inbox[Symbol.asyncDispose]());

test('each kind accepts a test, and a real alert', async () => {
  const at = (path: string) => () => ({ url: `${inbox.url}${path}`, secret: 'secret', routingKey: 'routing' });
  const reports: DeliveryReport[] = [];
  const receivers: readonly Receiver[] = [
    { name: 'webhook', kind: 'webhook', address: at('/hook') },
    { name: 'signed', kind: 'signed_webhook', address: at('/signed') },
    { name: 'slack', kind: 'slack', address: at('/services/x') },
    { name: 'pagerduty', kind: 'pagerduty', address: at('/v2/enqueue') },
    { name: 'alertmanager', kind: 'alertmanager', address: at('') },
  ];
  const notifier = createNotifier({ receivers, groupWaitMs: 1, onDelivery: (report) => reports.push(report) });
  for (const { name } of receivers) expect(await notifier.test(name)).toMatchObject({ receiver: name, status: 'delivered', isTest: true });
  notifier.update([firing('A')]);
  await Promise.all(
    ['/hook', '/signed', '/services/x', '/v2/enqueue', '/api/v2/alerts'].map((path) =>
      inbox.waitFor((letter) => letter.path === path && letter.body.includes('A')),
    ),
  );
  await notifier.close(5_000);
  expect(reports.filter(({ status }) => status === 'failed')).toEqual([]);
  // A test of PagerDuty leaves no open incident behind.
  const events = inbox.letters.filter(({ path }) => path === '/v2/enqueue').map(({ body }) => JSON.parse(body) as { event_action: string });
  expect(events.slice(0, 2).map(({ event_action }) => event_action)).toEqual(['trigger', 'resolve']);
});
