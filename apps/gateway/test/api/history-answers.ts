/** Owns requests that cause every documented answer of the routes of the history. */
import { createKit } from './kit.ts';

export async function everyHistory(): Promise<void> {
  const kit = createKit({ history: {} });
  await kit.post('/v1/calls', { tool_id: 'fail' });
  await kit.get('/v1/overview');
  for (const what of ['history', 'circuit']) {
    await kit.get(`/v1/tools/fail/${what}`);
    await kit.get(`/v1/tools/fail/${what}?range=2h`);
    await kit.get(`/v1/tools/fial/${what}`);
  }
  const { body } = await kit.get('/v1/failures');
  await kit.get('/v1/failures?since=x');
  await kit.get(`/v1/failures/${String(body['clusters'][0].signature)}`);
  await kit.get('/v1/failures/none');
  await kit.past?.close();

  const without = createKit();
  const paths = [
    '/v1/overview',
    '/v1/tools/echo/history',
    '/v1/tools/echo/circuit',
    '/v1/failures',
    '/v1/failures/none',
    '/v1/turns?tool_id=echo',
  ];
  for (const path of paths) await without.get(path);
}
