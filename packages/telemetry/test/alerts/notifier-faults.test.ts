/** No notification is lost when functions of the host throw. */
import { manualSystem } from '@holdfast/core/testing';
import { expect, test } from 'vitest';
import { createNotifier } from '../../src/alerts/index.ts';
import { firing } from './notices.ts';

test('whatever a listener and the host throw: each alert is sent, and its end, too', async () => {
  const system = manualSystem();
  const statuses: string[] = [];
  let throws = true;
  const broken = (): never => {
    throw new Error('broken');
  };
  const notifier = createNotifier({
    receivers: [{ name: 'hook', kind: 'webhook', address: () => ({ url: 'http://127.0.0.1:9/hook' }) }],
    system,
    send: ({ body }) => {
      statuses.push((JSON.parse(body) as { readonly status: string }).status);
      return Promise.resolve(new Response());
    },
    onDelivery: broken,
    externalUrl: () => (throws ? broken() : ''),
  });
  notifier.update([firing('A')]);
  await system.advance(10_000);
  expect(statuses).toEqual([]);
  throws = false;
  await system.advance(60_000);
  expect(statuses).toEqual(['firing']);
  notifier.update([]);
  await system.advance(300_000);
  expect(statuses).toEqual(['firing', 'resolved']);
});
