/** The port of a worker, its registration at the engine, and the required version of Node. */
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { registerWithRetry } from '../../src/worker/registered.ts';
import { listenForBoth, type TwoProtocols } from '../../src/worker/two-protocols.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function port(silentMs?: number): Promise<TwoProtocols> {
  const listening = await listenForBoth({
    host: '127.0.0.1',
    port: 0,
    silentMs,
    http1: (request, response) => response.end(`one ${request.url}`),
    http2: (request, response) => response.end(`two ${request.url}`),
  });
  ends.push(() => listening.close(0));
  return listening;
}

async function overHttp2(url: string, path: string): Promise<string> {
  const session = connectHttp2(url);
  ends.push(() => session.destroy());
  const stream = session.request({ ':path': path });
  let text = '';
  for await (const part of stream.setEncoding('utf8')) text += part;
  return text;
}

test('one port speaks both protocols, side by side', async () => {
  const { url } = await port();
  const [first, second, third] = await Promise.all([
    overHttp2(url, '/invoke'),
    fetch(`${url}/healthz`).then((answer) => answer.text()),
    overHttp2(url, '/discover'),
  ]);
  expect([first, second, third]).toEqual(['two /invoke', 'one /healthz', 'two /discover']);
});

test('a silent connection is ended, and a broken one does not affect others', async () => {
  const { url } = await port(1_000);
  const silent = connect(Number(new URL(url).port), '127.0.0.1');
  const broken = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
  await once(broken, 'connect');
  broken.resetAndDestroy();
  await once(silent.resume(), 'close');
  expect(await (await fetch(url)).text()).toBe('one /');
});

test('a closed port accepts no connections and keeps none', async () => {
  const listening = await port();
  const open = connect(Number(new URL(listening.url).port), '127.0.0.1');
  await once(open, 'connect');
  listening.stop();
  await expect(fetch(listening.url)).rejects.toThrow('fetch failed');
  await Promise.all([once(open.resume(), 'close'), listening.close(1)]);
});

test('a port in use is an error', async () => {
  const { url } = await port();
  const again = listenForBoth({ host: '127.0.0.1', port: Number(new URL(url).port), http1: () => undefined, http2: () => undefined });
  await expect(again).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

const unavailable = (trouble: string): Error => Object.assign(new Error(`It is ${trouble}.`), { code: 'ENGINE_UNAVAILABLE', trouble });

test.each([
  ['unreachable', { lostMs: 10_000, refusedMs: 0 }],
  ['fault', { lostMs: 0, refusedMs: 10_000 }],
])('an engine that is %s at first is retried for a while', async (trouble, limits) => {
  let asked = 0;
  const register = async (): Promise<void> => {
    asked += 1;
    if (asked < 3) throw unavailable(trouble);
  };
  await registerWithRetry({ register, url: 'http://workers', ...limits });
  expect(asked).toBe(3);
});

test.each([
  ['unreachable', /It is unreachable\. Start it, check engine\.restate\.admin/],
  ['fault', /It is fault\. Check that the engine can reach http:\/\/workers \(worker\.url\)/],
])('and then reported, with a hint: %s', async (trouble, text) => {
  const register = () => Promise.reject(unavailable(trouble));
  await expect(registerWithRetry({ register, url: 'http://workers', lostMs: 0, refusedMs: 0 })).rejects.toThrow(text);
});

test('another error is not retried', async () => {
  let asked = 0;
  const register = (): Promise<never> => {
    asked += 1;
    return Promise.reject(new TypeError('no'));
  };
  await expect(registerWithRetry({ register, url: 'http://workers', lostMs: 10_000, refusedMs: 10_000 })).rejects.toThrow('no');
  expect(asked).toBe(1);
});
