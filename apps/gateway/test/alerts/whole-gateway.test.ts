/** Alerts of a whole gateway: over HTTP, to a receiver on loopback, and across a restart. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Store } from '@holdfast/core/store';
import { sqliteStore } from '@holdfast/store-sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AlertHistory, AlertList, DeliveryLog, Silence } from '../../src/contract.ts';
import { readWords, startGateway, writeWords, type GatewayInProcess } from '../fixtures/gateway.ts';

const operatorToken = 'operator-token-of-the-test';
const letters: string[] = [];
let server: Server;
let receiver = '';

beforeAll(async () => {
  server = createServer((incoming, outgoing) => {
    let body = '';
    incoming.on('data', (chunk: Buffer) => (body += chunk.toString()));
    incoming.on('end', () => {
      letters.push(body);
      outgoing.end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  receiver = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => void server.close());

const broken = "export default () => { throw Object.assign(new Error('reset'), { code: 'ECONNRESET' }); };\n";

const words = (more: object = {}) => ({
  tools: [{ id: 'a', run: { module: './a.mjs' }, retry_policy: { max_attempts: 5, initial_delay_ms: 1, max_delay_ms: 2 } }],
  alerts: { group_wait_ms: 1, receivers: [{ name: 'hook', kind: 'webhook', url: receiver }], ...more },
});

async function ask<T>(gateway: GatewayInProcess, path: string, body?: object): Promise<T> {
  const response = await fetch(gateway.url.replace(/\/mcp$/, path), {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(response.ok).toBe(true);
  return (await response.json()) as T;
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let wait = 0; wait < 400; wait += 1) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('The condition did not become true');
}

test('an opened circuit is notified at once; silences, acknowledgements and the log survive a restart; a reload takes effect', async () => {
  const manifestPath = await writeWords(words());
  await writeFile(join(dirname(manifestPath), 'a.mjs'), broken);
  const store = (): Store => sqliteStore({ path: join(dirname(manifestPath), '.holdfast/trace.db') });
  const firstStore = store();
  const first = await startGateway(words(), { manifestPath, operatorToken, store: firstStore });
  await first.gateway.service.executeTool({ toolName: 'a', arguments: {} });
  await until(() => letters.length === 1);
  expect(JSON.parse(letters[0] ?? '')).toMatchObject({ alerts: [{ labels: { alertname: 'CircuitOpen', tool: 'a' } }] });
  const [alert] = (await ask<AlertList>(first, '/v1/alerts')).alerts;
  const fingerprint = alert?.fingerprint ?? '';
  expect(alert).toMatchObject({ name: 'CircuitOpen', state: 'firing' });
  await ask(first, `/v1/alerts/${fingerprint}/acknowledge`, { comment: 'on it' });
  const silence = await ask<Silence>(first, '/v1/silences', {
    matchers: [{ name: 'tool', value: 'b' }],
    duration_ms: 3_600_000,
    comment: 'maintenance',
  });
  await first.gateway.close(0);
  await firstStore.close();

  await using secondStore = new AsyncDisposableStack();
  const again = secondStore.adopt(store(), (kept) => kept.close());
  await using second = await startGateway(words(), { manifestPath, operatorToken, store: again });
  // The circuit is restored as open, so the alert continues and no receiver is notified again.
  expect((await ask<AlertList>(second, '/v1/alerts')).alerts).toMatchObject([
    { fingerprint, state: 'firing', acknowledged: { by: 'operator', comment: 'on it' }, fired_at: alert?.fired_at },
  ]);
  expect(letters).toHaveLength(1);
  expect((await ask<AlertList>(second, '/v1/alerts')).silences).toMatchObject([
    { id: silence.id, state: 'active', created_by: 'operator' },
  ]);
  const { events } = await ask<AlertHistory>(second, '/v1/alerts/history');
  expect(events.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['silenced', 'acknowledged', 'firing']));
  const { deliveries } = await ask<DeliveryLog>(second, '/v1/alerts/deliveries');
  expect(deliveries.at(-1)).toMatchObject({ receiver: 'hook', status: 'delivered', alerts: [fingerprint] });

  const next = readWords(words({ receivers: [{ name: 'other', kind: 'webhook', url: receiver }] }), manifestPath);
  expect(await second.gateway.reload(next)).toEqual([]);
  expect((await ask<AlertList>(second, '/v1/alerts')).receivers).toMatchObject([
    { name: 'other', target: expect.stringContaining('127.0.0.1') },
  ]);
  expect(await ask(second, '/v1/receivers/other/test', {})).toMatchObject({ status: 'delivered', test: true });
  expect(second.faults).toEqual([]);
});
