/** The routes of alerts: who may act, what is refused, and the hints. */
import { expect, test } from 'vitest';
import { createKit } from '../api/kit.ts';
import { createAlertKit, operator, silence } from './every-answer.ts';

test('a client without a token can read but not change anything', async () => {
  const { kit, scene } = createAlertKit();
  await scene.call(3);
  const { status, body } = await kit.get('/v1/alerts');
  expect(status).toBe(200);
  const [alert] = body['alerts'] as { fingerprint: string }[];
  const refused = [
    await kit.post(`/v1/alerts/${alert?.fingerprint ?? ''}/acknowledge`, {}),
    await kit.post('/v1/silences', silence),
    await kit.ask('DELETE', '/v1/silences/none'),
    await kit.post('/v1/receivers/hook/test'),
  ];
  for (const { status: own, body: reported } of refused) expect([own, reported['error'].code]).toEqual([401, 'TOKEN_NEEDED']);
  expect(scene.alerts.list()).toMatchObject({ silences: [], alerts: [{ state: 'firing' }] });
  expect(scene.alerts.active()[0]?.acknowledged).toBeUndefined();
  expect(scene.posts).toEqual([]);
});

test('the operator is named', async () => {
  const { kit, scene } = createAlertKit();
  await scene.call(3);
  const fingerprint = scene.alerts.active()[0]?.fingerprint ?? '';
  const made = await kit.post('/v1/silences', silence, { principal: 'ada' });
  expect(made).toMatchObject({ status: 201, body: { created_by: 'ada', comment: 'maintenance', state: 'active' } });
  const known = await kit.post(`/v1/alerts/${fingerprint}/acknowledge`, { comment: 'on it' }, { principal: 'ben' });
  expect(known).toMatchObject({
    status: 200,
    body: { fingerprint, acknowledged: { by: 'ben', comment: 'on it' }, silenced_by: [made.body['id']] },
  });
  const { body } = await kit.get('/v1/alerts/history');
  expect((body['events'] as { by?: string }[]).map(({ by }) => by)).toEqual(['ben', 'ada', undefined]);
});

test('an invalid silence is refused with its field', async () => {
  const { kit, scene } = createAlertKit();
  const refusalOf = async (body: unknown) => {
    const { status, body: reported } = await kit.post('/v1/silences', body, operator);
    return [status, reported['error'].code, reported['error'].field];
  };
  expect(await refusalOf({ ...silence, matchers: [] })).toEqual([422, 'OUT_OF_RANGE', 'matchers']);
  expect(await refusalOf({ ...silence, duration_ms: 10 })).toEqual([422, 'OUT_OF_RANGE', 'duration_ms']);
  expect(await refusalOf({ ...silence, comment: ' ' })).toEqual([422, 'OUT_OF_RANGE', 'comment']);
  expect(await refusalOf({ ...silence, starts_at: 'tomorrow' })).toEqual([422, 'OUT_OF_RANGE', 'starts_at']);
  expect(await refusalOf({ ...silence, matchers: [{ name: 'tool', value: '(', is_regex: true }] })).toEqual([
    422,
    'NOT_ALLOWED',
    'matchers',
  ]);
  expect(await refusalOf({ ...silence, matchers: [{ name: 'tool', value: 'a', regex: true }] })).toEqual([
    422,
    'UNKNOWN_KEY',
    'matchers[0].regex',
  ]);
  expect(scene.alerts.list().silences).toEqual([]);
});

test('a silence can start in the future', async () => {
  const { kit, scene } = createAlertKit();
  const starts_at = new Date(scene.system.epochMs() + 3_600_000).toISOString();
  const { body } = await kit.post('/v1/silences', { ...silence, starts_at }, operator);
  expect(body).toMatchObject({ starts_at, state: 'pending' });
  expect((await kit.ask('DELETE', `/v1/silences/${body['id'] as string}`, operator)).body).toMatchObject({ state: 'expired' });
  expect((await kit.get('/v1/alerts')).body['silences']).toEqual([]);
});

test('a test of a receiver answers with its result', async () => {
  const { kit, scene } = createAlertKit();
  const { status, body } = await kit.post('/v1/receivers/hook/test', undefined, operator);
  expect([status, body['status'], body['test'], body['attempts']]).toEqual([200, 'delivered', true, 1]);
  expect(JSON.parse(scene.posts[0]?.body ?? '')).toMatchObject({ alerts: [{ labels: { alertname: 'HoldfastTest', receiver: 'hook' } }] });
  expect((await kit.get('/v1/alerts/deliveries')).body).toMatchObject({ deliveries: [{ receiver: 'hook', test: true }] });
  const missing = await kit.post('/v1/receivers/hok/test', undefined, operator);
  expect(missing.body['error']).toMatchObject({ code: 'RECEIVER_UNKNOWN', allowed: 'hook' });
});

test('the history comes in pages', async () => {
  const { kit, scene } = createAlertKit();
  for (const comment of ['1', '2', '3']) scene.alerts.silence({ ...silence, comment }, { by: 'ops' });
  const first = await kit.get('/v1/alerts/history?limit=2');
  const second = await kit.get(`/v1/alerts/history?limit=2&cursor=${first.body['next_cursor'] as string}`);
  const texts = [first, second].flatMap(({ body }) => (body['events'] as { text: string }[]).map(({ text }) => text));
  expect(texts).toEqual(['tool="a": 3', 'tool="a": 2', 'tool="a": 1']);
  expect(second.body['next_cursor']).toBeUndefined();
});

test('without alerting, the answers are empty', async () => {
  const kit = createKit();
  expect((await kit.get('/v1/alerts')).body).toEqual({ alerts: [], rules: [], silences: [], receivers: [] });
  expect((await kit.post('/v1/receivers/x/test', undefined, operator)).body['error']).toMatchObject({
    hint: expect.stringContaining('alerts.receivers'),
  });
});
