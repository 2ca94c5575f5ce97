/** Owns requests that cause every documented answer of the routes of alerts. */
import { createKit, type Kit } from '../api/kit.ts';
import { createScene, hook, type Scene } from './scene.ts';

export interface AlertKit {
  readonly kit: Kit;
  readonly scene: Scene;
}

export const operator = { principal: 'operator' } as const;

export function createAlertKit(): AlertKit {
  const scene = createScene({ alerts: { receivers: [hook] } });
  const kit = createKit({ alerts: scene.alerts, limits: { bodyBytes: 2_000 } });
  return { kit, scene };
}

export const silence = { matchers: [{ name: 'tool', value: 'a' }], duration_ms: 60_000, comment: 'maintenance' };

/** Requests each answer once. */
export async function everyAnswer({ kit, scene }: AlertKit): Promise<void> {
  const text = { headers: { 'content-type': 'text/plain' } };
  const long = 'x'.repeat(3_000);
  await scene.call(3);
  await kit.get('/v1/alerts');
  await kit.get('/v1/alerts/history');
  await kit.get('/v1/alerts/history?limit=0');
  await kit.get('/v1/alerts/deliveries');
  await kit.get('/v1/alerts/deliveries?limit=x');

  const fingerprint = scene.alerts.active()[0]?.fingerprint ?? '';
  for (const [path, body] of [
    [`/v1/alerts/${fingerprint}/acknowledge`, { comment: 'on it' }],
    ['/v1/silences', silence],
  ] as const) {
    await kit.post(path, body);
    await kit.post(path, body, operator);
    await kit.post(path, '{', operator);
    await kit.post(path, { comment: long }, operator);
    await kit.post(path, '{}', { ...text, ...operator });
    await kit.post(path, { comment: '' }, operator);
  }
  await kit.post('/v1/alerts/0000000000000000/acknowledge', {}, operator);
  await kit.ask('DELETE', `/v1/alerts/${fingerprint}/acknowledge`);
  await kit.ask('DELETE', `/v1/alerts/${fingerprint}/acknowledge`, operator);
  await kit.ask('DELETE', '/v1/alerts/0000000000000000/acknowledge', operator);

  const { id } = scene.alerts.list().silences[0] ?? { id: '' };
  await kit.ask('DELETE', `/v1/silences/${id}`);
  await kit.ask('DELETE', `/v1/silences/${id}`, operator);
  await kit.ask('DELETE', '/v1/silences/none', operator);

  await kit.post('/v1/receivers/hook/test');
  await kit.post('/v1/receivers/hook/test', undefined, operator);
  await kit.post('/v1/receivers/none/test', undefined, operator);
  await kit.get('/v1/alerts');
}
