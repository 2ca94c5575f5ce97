/** The requests to each receiver, byte for byte where other software verifies them. */
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { signedWebhookRequest, type WebhookBody } from '../../src/alerts/index.ts';
import { alertmanagerRequest } from '../../src/alerts/receivers/alertmanager.ts';
import { pagerdutyRequest } from '../../src/alerts/receivers/pagerduty.ts';
import { slackRequest } from '../../src/alerts/receivers/slack.ts';
import { webhookRequest } from '../../src/alerts/receivers/webhook.ts';
import { firing, notification, notified, startedAt } from './notices.ts';

const url = 'http://127.0.0.1:9/x';
const now = startedAt + 6_000;
const resolved = notified('CircuitOpen', { status: 'resolved', endsAt: startedAt + 90_000 });

describe('a webhook', () => {
  test('equals the request of an Alertmanager', () => {
    const { body, headers } = webhookRequest(
      notification([notified('CircuitOpen')], { groupLabels: { tool: 'search', alertname: 'CircuitOpen' } }),
      { url, headers: { authorization: 'Bearer x' } },
      now,
    );
    expect(headers).toEqual({ 'user-agent': 'holdfast', authorization: 'Bearer x', 'content-type': 'application/json' });
    expect(body).toBe(
      [
        '{"receiver":"operators","status":"firing","alerts":[{"status":"firing",',
        '"labels":{"alertname":"CircuitOpen","severity":"critical","tool":"search"},',
        String.raw`"annotations":{"description":"Measured: 3 of 20 \u003cb\u003e \u0026 more.","summary":"CircuitOpen at search"},`,
        '"startsAt":"2026-11-22T10:00:00.12Z","endsAt":"0001-01-01T00:00:00Z",',
        '"generatorURL":"http://127.0.0.1:7340/alerts?alert=CircuitOpen",',
        `"fingerprint":"${firing('CircuitOpen').fingerprint}"}],`,
        '"groupLabels":{"alertname":"CircuitOpen","tool":"search"},',
        '"commonLabels":{"alertname":"CircuitOpen","severity":"critical","tool":"search"},',
        String.raw`"commonAnnotations":{"description":"Measured: 3 of 20 \u003cb\u003e \u0026 more.","summary":"CircuitOpen at search"},`,
        String.raw`"externalURL":"http://127.0.0.1:7340","version":"4","groupKey":"{}:{alertname=\"CircuitOpen\", tool=\"search\"}","truncatedAlerts":0}`,
        '\n',
      ].join(''),
    );
  });

  test('is firing while one of its alerts is, and has the labels that all share', () => {
    const { body } = webhookRequest(notification([notified('A'), resolved]), { url }, now);
    const payload = JSON.parse(body) as WebhookBody;
    expect(payload).toMatchObject({ status: 'firing', commonLabels: { severity: 'critical', tool: 'search' }, groupKey: '{}:{}' });
    expect(payload.commonLabels).not.toHaveProperty('alertname');
    expect(payload.alerts[1]).toMatchObject({ status: 'resolved', endsAt: '2026-11-22T10:01:30.12Z' });
  });
});

describe('a signed webhook', () => {
  const secret = `whsec_${Buffer.from('a key of thirty-two bytes, no less').toString('base64')}`;

  test('is accepted by implementations of Standard Webhooks, and only with the secret', () => {
    const recent = Date.now();
    const { body, headers } = signedWebhookRequest(notification([resolved], { at: recent }), { url, secret }, recent);
    const payload = new Webhook(secret).verify(body, { ...headers });
    expect(payload).toMatchObject({ type: 'alerts.resolved', data: { version: '4', status: 'resolved' } });
    expect(() => new Webhook(`whsec_${Buffer.from('another').toString('base64')}`).verify(body, { ...headers })).toThrow(
      'No matching signature',
    );
    expect(() => new Webhook(secret).verify(`${body} `, { ...headers })).toThrow('No matching signature');
    expect(headers['webhook-id']).toBe('alert_1');
  });

  test('has one id in all attempts, and a signature for each', () => {
    const [one, other] = [now, now + 60_000].map((at) => signedWebhookRequest(notification([resolved]), { url, secret }, at));
    expect(one?.headers['webhook-id']).toBe(other?.headers['webhook-id']);
    expect(one?.headers['webhook-signature']).not.toBe(other?.headers['webhook-signature']);
  });

  test.each([undefined, '', 'whsec_'])('requires a secret (%s)', (none) => {
    expect(() => signedWebhookRequest(notification([resolved]), { url, secret: none }, now)).toThrow(TypeError);
  });
});

interface SlackMessage {
  readonly text: string;
  readonly blocks: readonly {
    readonly type: string;
    readonly text?: { readonly text: string };
    readonly elements?: readonly { readonly url?: string; readonly text?: unknown }[];
  }[];
}

describe('Slack', () => {
  const messageOf = (...given: Parameters<typeof notification>): SlackMessage =>
    JSON.parse(slackRequest(notification(...given), { url }, now).body) as SlackMessage;

  test('is notified of one alert with a link to it', () => {
    const { text, blocks } = messageOf([notified('CircuitOpen')]);
    expect(text).toBe('Firing: CircuitOpen of search\nCircuitOpen at search');
    expect(blocks.map(({ type }) => type)).toEqual(['header', 'section', 'context', 'actions']);
    expect(blocks[1]?.text?.text).toBe(
      '*Firing: CircuitOpen of search* (critical)\nCircuitOpen at search\nMeasured: 3 of 20 &lt;b&gt; &amp; more.',
    );
    expect(blocks[3]?.elements?.[0]?.url).toBe('http://127.0.0.1:7340/alerts?alert=CircuitOpen');
  });

  test('escapes markup in alerts', () => {
    const hostile = '<!channel> <https://evil.example|click> *x* & \n_y_';
    const { text, blocks } = messageOf([notified('A', { ...firing('A', { tool: hostile }), annotations: { summary: hostile } })]);
    for (const shown of [text, blocks[1]?.text?.text]) expect(shown).not.toMatch(/<(?!!date)/);
    expect(blocks[1]?.text?.text.split('\n')[0]).toBe(
      '*Firing: A of &lt;!channel&gt; &lt;https://evil.example|click&gt;  x  &amp;  _y_* (critical)',
    );
  });

  test('never exceeds the limits', () => {
    const long = 'é'.repeat(9_000);
    const many = Array.from({ length: 60 }, (_, index) =>
      notified(`A${index}`, { annotations: { summary: long, description: `${long}!` } }),
    );
    const { text, blocks } = messageOf(many, { truncatedAlerts: 5 });
    expect(blocks.length).toBeLessThanOrEqual(50);
    expect(text.length).toBeLessThanOrEqual(4_000);
    for (const block of blocks) expect(block.text?.text.length ?? 0).toBeLessThanOrEqual(block.type === 'header' ? 150 : 3_000);
    expect(blocks[0]?.text?.text).toBe('Firing: 65 alerts');
    expect(JSON.stringify(blocks)).toContain('55 more alerts');
  });
});

describe('PagerDuty', () => {
  const eventOf = (...given: Parameters<typeof notification>): Record<string, unknown> =>
    JSON.parse(pagerdutyRequest(notification(...given), { url, routingKey: 'key' }, now).body) as Record<string, unknown>;

  test('identifies an alert by its fingerprint, from its start to its end', () => {
    const begun = eventOf([notified('CircuitOpen')]);
    expect(begun).toMatchObject({
      routing_key: 'key',
      event_action: 'trigger',
      dedup_key: firing('CircuitOpen').fingerprint,
      payload: {
        source: 'holdfast',
        severity: 'critical',
        component: 'search',
        class: 'CircuitOpen',
        timestamp: '2026-11-22T10:00:00.120Z',
      },
    });
    expect(eventOf([resolved])).toMatchObject({ event_action: 'resolve', dedup_key: begun['dedup_key'] });
  });

  test('accepts 512 kB: larger requests omit details', () => {
    const { body } = pagerdutyRequest(
      notification([notified('A', { annotations: { summary: 'é'.repeat(2_000), description: 'é'.repeat(300_000) } })]),
      { url, routingKey: 'key' },
      now,
    );
    expect(Buffer.byteLength(body)).toBeLessThan(512_000);
    expect((JSON.parse(body) as { payload: { summary: string } }).payload.summary.length).toBeLessThanOrEqual(1_024);
  });

  test('is notified of one alert at a time, with a key', () => {
    expect(() => eventOf([notified('A'), notified('B')])).toThrow(TypeError);
    expect(() => pagerdutyRequest(notification([resolved]), { url }, now)).toThrow(TypeError);
  });

  test('maps an unknown severity to error', () => {
    expect(eventOf([notified('A', { labels: { alertname: 'A', severity: 'page' } })])).toMatchObject({ payload: { severity: 'error' } });
  });
});

describe('an Alertmanager', () => {
  test.each(['http://h:9093', 'http://h:9093/', 'http://h:9093/api/v2/alerts'])('is reached at its API (%s)', (address) => {
    expect(alertmanagerRequest(notification([resolved]), { url: address }, now).url).toBe('http://h:9093/api/v2/alerts');
  });

  test('keeps the path of a proxy', () => {
    expect(alertmanagerRequest(notification([resolved]), { url: 'http://h/am/' }, now).url).toBe('http://h/am/api/v2/alerts');
  });
});
