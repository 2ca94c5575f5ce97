/** The API behind the gateway's own HTTP server: what only a real connection shows. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore } from '@holdfast/core';
import { parseManifest } from '@holdfast/manifest';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGateway, type Gateway } from '../../src/gateway.ts';
import { sentEvents, until } from './kit.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-http-'));
let gateway: Gateway;
let url: string;

beforeAll(async () => {
  const waiting =
    'export default (_args, { signal }) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));';
  writeFileSync(join(folder, 'wait.mjs'), waiting);
  writeFileSync(join(folder, 'echo.mjs'), 'export default async (args) => args;');
  const source = 'tools: [{ id: wait, run: { module: ./wait.mjs } }, { id: echo, run: { module: ./echo.mjs } }]\ngateway: { log: off }\n';
  const { manifest, problems } = parseManifest(source, { file: join(folder, 'holdfast.yaml') });
  if (!manifest) throw new Error(JSON.stringify(problems));
  gateway = await createGateway(manifest, { store: memoryStore() });
  ({ url } = await gateway.listen({ port: 0 }));
});

afterAll(async () => {
  await gateway.close(100);
  rmSync(folder, { recursive: true, force: true });
});

const post = (path: string, body: object, signal?: AbortSignal): Promise<Response> =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: signal ?? null,
  });

test('a call is cancelled when its connection is closed', async () => {
  const client = new AbortController();
  const call = post('/v1/calls', { tool_id: 'wait' }, client.signal).catch(() => 'gone');
  await until(() => gateway.service.getToolHealth('wait')?.inFlight === 1);
  client.abort();
  expect(await call).toBe('gone');
  await until(() => gateway.service.getToolMetrics('wait').cancelledCount === 1);
  // The program ends a little later.
  await until(() => gateway.service.getToolHealth('wait')?.inFlight === 0);
});

test('events are sent as they happen, and a cut stream can be resumed', async () => {
  const accepted = await post('/v1/turns?wait=false', {
    turn_id: 'one',
    calls: [
      { call_id: 'a', tool_id: 'echo' },
      { call_id: 'w', tool_id: 'wait', depends_on: ['a'] },
    ],
  });
  expect(accepted.status).toBe(202);
  const client = new AbortController();
  const first = await fetch(`${url}/v1/turns/one/events`, { signal: client.signal });
  const reader = (first.body as ReadableStream<Uint8Array>).getReader();
  let text = '';
  while (!text.includes('"call_id":"w"')) text += new TextDecoder().decode((await reader.read()).value);
  client.abort();
  const seen = sentEvents(text.slice(0, text.lastIndexOf('\n\n') + 2)).map(({ data }) => data.seq as number);
  const rest = fetch(`${url}/v1/turns/one/events`, { headers: { 'last-event-id': String(seen.at(-1)) } }).then((response) =>
    response.text(),
  );
  expect((await post('/v1/turns/one/cancel', {})).status).toBe(200);
  const behind = sentEvents(await rest);
  expect(behind.at(-1)).toMatchObject({ event: 'end', data: { outcome: 'cancelled' } });
  const all = [...seen, ...behind.slice(0, -1).map(({ data }) => data.seq as number)];
  expect(all).toEqual(all.map((_, index) => index + 1));
});

test('a body that is too large is refused by the server itself', async () => {
  const response = await post('/v1/calls', { tool_id: 'echo', arguments: { text: 'x'.repeat(5 * 1024 * 1024) } });
  expect(response.status).toBe(413);
  await response.text();
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});
