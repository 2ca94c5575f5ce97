/** Notifying receivers: what is due, what failed. The clock is manual. */
import { describe, expect, test } from 'vitest';
import type { Receiver } from '../../src/alerts/index.ts';
import { firing } from './notices.ts';
import { createScene, hook, minute } from './notifier-scene.ts';

describe('what is sent', () => {
  test('alerts of one time in one notification, after a second', async () => {
    const { system, notifier, sentAlerts, sent } = createScene();
    notifier.update([firing('A')]);
    await system.advance(500);
    notifier.update([firing('A'), firing('B')]);
    await system.advance(499);
    expect(sent).toEqual([]);
    await system.advance(1);
    expect(sentAlerts()).toEqual(['A firing, B firing']);
    await system.advance(60 * minute);
    expect(sent).toHaveLength(1);
  });

  test('an alert that ended before it was sent is not sent', async () => {
    const { system, notifier, sent } = createScene();
    notifier.update([firing('A')]);
    await system.advance(500);
    notifier.update([]);
    await system.advance(minute);
    expect(sent).toEqual([]);
  });

  test('ends, without the alerts that continue: their receiver knows them', async () => {
    const { system, notifier, sentAlerts } = createScene();
    notifier.update([firing('A'), firing('B')]);
    await system.advance(minute);
    notifier.update([firing('B')]);
    await system.advance(5 * minute);
    expect(sentAlerts()).toEqual(['A firing, B firing', 'A resolved']);
    await system.advance(4 * 60 * minute);
    expect(sentAlerts().slice(2)).toEqual(['B firing']);
  });

  test('what follows a notification waits for the group interval, but not an alert that is new', async () => {
    const { system, notifier, sentAlerts, sent } = createScene();
    notifier.update([firing('A')]);
    await system.advance(minute);
    notifier.update([]);
    await system.advance(minute);
    expect(sentAlerts()).toEqual(['A firing']);
    notifier.update([firing('B')]);
    await system.advance(2_000);
    expect(sentAlerts()).toEqual(['A firing', 'B firing, A resolved']);
    notifier.update([]);
    await system.advance(10 * minute);
    expect(sentAlerts().slice(2)).toEqual(['B resolved']);
    expect((sent[2]?.at ?? 0) - (sent[1]?.at ?? 0)).toBeGreaterThanOrEqual(5 * minute);
  });

  test('everything that fires, when it is repeated', async () => {
    const { system, notifier, sentAlerts } = createScene();
    notifier.update([firing('A')]);
    await system.advance(60 * minute);
    notifier.update([firing('A'), firing('B')]);
    await system.advance(minute);
    expect(sentAlerts()).toEqual(['A firing', 'B firing']);
    await system.advance(3 * 60 * minute);
    expect(sentAlerts().slice(2)).toEqual(['A firing, B firing']);
  });

  test('an alert waits for the group interval only if it was sent within the last hour', async () => {
    /** Begins once, and a second time just after a notification; returns when that was sent, in minutes after it began. */
    const waits = async (pauseMinutes: number): Promise<number> => {
      const { system, notifier, sent } = createScene();
      notifier.update([firing('A')]);
      await system.advance(minute);
      notifier.update([]);
      await system.advance(pauseMinutes * minute);
      notifier.update([firing('B')]);
      await system.advance(2_000);
      const count = sent.length;
      const began = system.now();
      notifier.update([firing('A', { startsAt: system.epochMs() }), firing('B')]);
      await system.advance(20 * minute);
      return Math.round(((sent[count]?.at ?? Infinity) - began) / minute);
    };
    expect([await waits(30), await waits(65)]).toEqual([5, 0]);
  });

  test('no ends, without sendResolved', async () => {
    const { system, notifier, sentAlerts } = createScene({ receivers: [{ ...hook, sendResolved: false }], groupIntervalMs: 0 });
    notifier.update([firing('A')]);
    await system.advance(minute);
    notifier.update([]);
    await system.advance(minute);
    notifier.update([firing('A', { startsAt: 5 })]);
    await system.advance(minute);
    expect(sentAlerts()).toEqual(['A firing', 'A firing']);
  });

  test('an alert that begins again before its end was sent is not repeated', async () => {
    const { system, notifier, sentAlerts } = createScene();
    notifier.update([firing('A')]);
    await system.advance(minute);
    notifier.update([firing('A', { startsAt: firing('A').startsAt + minute })]);
    await system.advance(10 * minute);
    expect(sentAlerts()).toEqual(['A firing']);
    notifier.update([]);
    await system.advance(10 * minute);
    expect(sentAlerts()).toEqual(['A firing', 'A resolved']);
  });

  test('groups by their labels, separately', async () => {
    const { system, notifier, sent } = createScene({ groupBy: ['tool', 'region'] });
    notifier.update([firing('A'), firing('B', { tool: 'other' }), firing('C')]);
    await system.advance(minute);
    const keys = sent.map(({ body }) => (JSON.parse(body) as { groupKey: string }).groupKey);
    expect(keys).toEqual(['{}:{tool="search"}', '{}:{tool="other"}']);
  });

  test('at most a hundred alerts, and the number of further ones', async () => {
    const { system, notifier, sent } = createScene();
    notifier.update(Array.from({ length: 130 }, (_, index) => firing(`A${index}`)));
    await system.advance(minute);
    const { alerts, truncatedAlerts } = JSON.parse(sent[0]?.body ?? '') as { alerts: unknown[]; truncatedAlerts: number };
    expect([sent.length, alerts.length, truncatedAlerts]).toEqual([1, 100, 30]);
  });

  test('PagerDuty, one alert at a time', async () => {
    const pagerduty: Receiver = { name: 'pd', kind: 'pagerduty', address: () => ({ url: 'http://127.0.0.1:9', routingKey: 'k' }) };
    const { system, notifier, sent } = createScene({ receivers: [pagerduty], groupIntervalMs: 0 });
    notifier.update([firing('A'), firing('B')]);
    await system.advance(minute);
    notifier.update([firing('B')]);
    await system.advance(minute);
    const events = sent.map(({ body }) => JSON.parse(body) as { event_action: string; dedup_key: string });
    expect(events.map(({ event_action }) => event_action)).toEqual(['trigger', 'trigger', 'resolve']);
    expect(events[2]?.dedup_key).toBe(events[0]?.dedup_key);
  });

  test('an Alertmanager gets it every minute, also during a silence', async () => {
    const alertmanager: Receiver = { name: 'am', kind: 'alertmanager', address: () => ({ url: 'http://127.0.0.1:9' }) };
    const { system, notifier, sent } = createScene({ receivers: [alertmanager] });
    notifier.update([firing('A')]);
    await system.advance(2_000);
    notifier.update([firing('A', { isMuted: true }), firing('B', { isMuted: true })]);
    await system.advance(3 * minute);
    expect(sent).toHaveLength(4);
    expect(sent.every(({ body }) => (JSON.parse(body) as unknown[]).length === 1)).toBe(true);
    notifier.update([]);
    await system.advance(10 * minute);
    expect(sent).toHaveLength(5);
  });
});

describe('an alert that flaps for an hour', () => {
  /** Down and up again, as long as it takes; the clock is manual. */
  async function flap(downMs: number, upMs: number): Promise<readonly string[]> {
    const { system, notifier, sentAlerts } = createScene();
    const until = system.epochMs() + 60 * minute;
    while (system.epochMs() < until) {
      notifier.update([firing('A', { startsAt: system.epochMs() })]);
      await system.advance(downMs);
      notifier.update([]);
      await system.advance(upMs);
    }
    const within = sentAlerts().length;
    expect(within).toBeLessThanOrEqual(6);
    await system.advance(60 * minute);
    // In the end its receiver knows that it is over.
    expect(sentAlerts().at(-1)).toBe('A resolved');
    return sentAlerts().slice(0, within);
  }

  test.each([
    [5_000, 5_000],
    [30_000, 30_000],
    [minute, minute],
    [minute, 4 * minute],
    [5 * minute, 5 * minute],
    [2 * minute, 10 * minute],
    [10 * minute, 5 * minute],
    [minute, 14 * minute],
    [minute, 19 * minute],
    [15 * minute, 16 * minute],
  ])('%i ms down, %i ms up: at most six notifications', async (downMs, upMs) => {
    const sent = await flap(downMs, upMs);
    expect(sent[0]).toBe('A firing');
    // None says what the one before said.
    for (const [index, text] of sent.entries()) expect(text).not.toBe(sent[index - 1]);
  });
});

describe('failures', () => {
  test('are retried after the Retry-After of the receiver', async () => {
    const { system, notifier, sent, reports } = createScene({}, ({ at }) =>
      at < 8_000 ? new Response('slow down', { status: 429, headers: { 'retry-after': '7' } }) : new Response(),
    );
    notifier.update([firing('A')]);
    await system.advance(minute);
    expect(sent.map(({ at }) => Math.floor(at / 1_000))).toEqual([1, 8]);
    expect(reports.map(({ status, attempts }) => [status, attempts])).toEqual([
      ['waiting', 0],
      ['delivered', 2],
    ]);
    expect(new Set(reports.map(({ key }) => key)).size).toBe(1);
  });

  test('that are permanent are retried after growing pauses', async () => {
    let isDead = true;
    const { system, notifier, sent, reports } = createScene({}, () => new Response('', { status: isDead ? 400 : 200 }));
    notifier.update([firing('A')]);
    await system.advance(60 * minute);
    expect(sent.length).toBeLessThan(15);
    expect(reports.at(-1)).toMatchObject({ status: 'failed', attempts: 1, error: 'The receiver answered 400' });
    isDead = false;
    await system.advance(11 * minute);
    expect(reports.at(-1)).toMatchObject({ status: 'delivered' });
  });

  test('at one receiver do not affect another', async () => {
    const other: Receiver = { ...hook, name: 'other', address: () => ({ url: 'http://127.0.0.1:9/other' }) };
    const never = (): Promise<Response> => new Promise(() => undefined);
    const { system, notifier, reports } = createScene({ receivers: [hook, other] }, ({ url }) =>
      url.endsWith('other') ? new Response() : never(),
    );
    notifier.update([firing('A')]);
    await system.advance(2_000);
    expect(reports.filter(({ status }) => status === 'delivered').map(({ receiver }) => receiver)).toEqual(['other']);
    await system.advance(3 * minute);
    expect(reports.find(({ receiver, status }) => receiver === 'hook' && status === 'failed')).toMatchObject({ code: expect.any(String) });
  });

  test('include redirects, which are not followed', async () => {
    const { system, notifier, sent, reports } = createScene(
      {},
      () => new Response('', { status: 302, headers: { location: 'http://127.0.0.1:9/else' } }),
    );
    notifier.update([firing('A')]);
    await system.advance(5_000);
    expect(sent).toHaveLength(1);
    expect(reports.at(-1)).toMatchObject({ status: 'failed' });
  });

  test('show no secret of the URL', async () => {
    const secret: Receiver = {
      name: 'slack',
      kind: 'slack',
      address: () => ({ url: 'http://127.0.0.1:9/services/T0/B0/abcdefgh', headers: { authorization: 'Bearer xyzzy-1' } }),
    };
    const { system, notifier, reports } = createScene({ receivers: [secret] }, ({ url }) => {
      throw Object.assign(new Error(`cannot reach ${url} with Bearer xyzzy-1`), { code: 'ECONNREFUSED' });
    });
    notifier.update([firing('A')]);
    await system.advance(3 * minute);
    const printed = JSON.stringify(reports);
    expect(printed).toContain('NETWORK_ERROR');
    expect(printed).toContain('cannot reach [redacted]');
    expect(printed).not.toContain('abcdefgh');
    expect(printed).not.toContain('xyzzy-1');
  });
});

test('Slack gets at most one message per second', async () => {
  const slack: Receiver = { name: 'slack', kind: 'slack', address: () => ({ url: 'http://127.0.0.1:9/slack' }) };
  const { system, notifier, sent } = createScene({ receivers: [slack], groupBy: ['tool'] });
  notifier.update(Array.from({ length: 5 }, (_, index) => firing('A', { tool: `t${index}` })));
  await system.advance(10 * minute);
  expect(sent).toHaveLength(5);
  for (const [index, { at }] of sent.entries()) expect(at - (sent[index - 1]?.at ?? -1_000)).toBeGreaterThanOrEqual(1_000);
});
