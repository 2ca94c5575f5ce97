/** Real servers: both SDKs, both transports, both eras. */
import { getEventListeners } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import type { ConnectOptions, JsonObject, McpConnection, MessageLink } from '../../src/client/index.ts';
import { connected, ending, processLink, rejection, webLink } from './support/connections.ts';
import { type Served, v1Http, v2LegacyHttp, v2ModernHttp } from './support/http-servers.ts';

const fixture = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}.ts`, import.meta.url));
const overStdio =
  (name: string, eras = '') =>
  async (): Promise<MessageLink> =>
    processLink([fixture(name), eras]).link;
const overHttp = (serve: () => Promise<Served>) => async (): Promise<MessageLink> => {
  const served = await serve();
  ending(served.close);
  return webLink(served.url);
};

const servers = [
  { server: 'v1 stdio', era: 'legacy', name: 'v1', open: overStdio('v1-stdio') },
  { server: 'v2 stdio, legacy only', era: 'legacy', name: 'v2', open: overStdio('v2-stdio', 'legacy') },
  { server: 'v2 stdio, both eras', era: 'legacy', name: 'v2', open: overStdio('v2-stdio', 'both') },
  { server: 'v2 stdio, modern only', era: 'modern', name: 'v2', open: overStdio('v2-stdio', 'modern') },
  { server: 'v1 HTTP', era: 'legacy', name: 'v1', open: overHttp(v1Http) },
  { server: 'v2 HTTP, legacy', era: 'legacy', name: 'v2', open: overHttp(v2LegacyHttp) },
  { server: 'v2 HTTP, modern', era: 'modern', name: 'v2', open: overHttp(v2ModernHttp) },
] as const;

const textOf = (result: JsonObject): unknown => (result['content'] as readonly JsonObject[])[0]?.['text'];

describe.each(servers)('$server', ({ era, name, open }) => {
  const reach = async (options: Partial<ConnectOptions> = {}): Promise<McpConnection> => connected(await open(), options);
  const call = (to: McpConnection, tool: string, args: JsonObject = {}, options = {}): Promise<JsonObject> =>
    to.request('tools/call', { name: tool, arguments: args }, options);

  it('negotiates its era, on the first link', async () => {
    const { handshake } = await reach();
    expect(handshake).toMatchObject({ era, serverInfo: { name, version: '1.0.0' }, instructions: 'Be kind.' });
    expect(handshake.capabilities).toMatchObject({ tools: { listChanged: true } });
    expect(handshake.protocolVersion).toBe(era === 'modern' ? '2026-07-28' : '2025-11-25');
  });

  it('answers many concurrent calls, and passes errors on unchanged', async () => {
    const to = await reach();
    const values = Array.from({ length: 50 }, (_, index) => `värde ${index} 日本`);
    const answers = await Promise.all(values.map((value) => call(to, 'echo', { value })));
    expect(answers.map(textOf)).toEqual(values);
    expect(await rejection(call(to, 'nope'))).toMatchObject({ code: -32_602, data: { name: 'nope' } });
    expect(await rejection(to.request('no/such'))).toMatchObject({ code: -32_601 });
    expect(await to.isResponsive(5000)).toBe(true);
  });

  it('reports progress before its answer', async () => {
    const progress: JsonObject[] = [];
    const result = await call(await reach(), 'count', {}, { onProgress: (report: JsonObject) => progress.push(report) });
    expect(textOf(result)).toBe('counted');
    expect(progress).toEqual([1, 2, 3].map((each) => ({ progress: each, total: 3 })));
  });

  it('is notified that a call is cancelled', async () => {
    const to = await reach();
    const before = Number(textOf(await call(to, 'stopped')));
    const controller = new AbortController();
    const pending = rejection(call(to, 'wait', {}, { signal: controller.signal }));
    await call(to, 'echo', { value: 'in between' });
    controller.abort(new Error('enough'));
    expect(await pending).toMatchObject({ message: 'enough' });
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    await vi.waitFor(async () => expect(textOf(await call(to, 'stopped'))).toBe(String(before + 1)), 5000);
  });

  it('asks a question and gets the answer', async () => {
    const to = await reach({ listen: true });
    const asked: unknown[] = [];
    const onRequest = async (method: string, { message }: JsonObject): Promise<JsonObject> => {
      asked.push([method, message]);
      return { action: 'accept', content: { name: 'Ada' } };
    };
    // The standalone stream of HTTP is opened during the first requests.
    await vi.waitFor(async () => expect(await to.isResponsive(1000)).toBe(true));
    const first = await call(to, 'ask', {}, { onRequest });
    const asksInResult = { resultType: 'input_required', inputRequests: { who: { method: 'elicitation/create' } } };
    expect(first).toMatchObject(era === 'modern' ? asksInResult : { content: [{ text: 'hello Ada' }] });
    expect(asked).toEqual(era === 'modern' ? [] : [['elicitation/create', 'What is your name?']]);
    const inputResponses = { who: { action: 'accept', content: { name: 'Ada' } } };
    const second = await to.request('tools/call', { name: 'ask', arguments: {}, inputResponses }, { onRequest });
    expect(textOf(second)).toBe('hello Ada');
  });

  it('notifies of changes', async () => {
    const heard: string[] = [];
    const onNotification = (method: string): void => void heard.push(method);
    const to = await reach({ listen: true, onNotification });
    const controller = new AbortController();
    const { signal } = controller;
    if (era === 'legacy') await to.request('resources/subscribe', { uri: 'file:///a' });
    else {
      const notifications = { toolsListChanged: true, resourceSubscriptions: ['file:///a'] };
      to.request('subscriptions/listen', { notifications }, { signal, onNotification }).catch(() => {});
    }
    await vi.waitFor(() => {
      if (era === 'modern' && !heard.includes('notifications/subscriptions/acknowledged')) throw new Error('not yet taken');
    });
    await vi.waitFor(async () => {
      await call(to, 'announce');
      await call(to, 'touch', { uri: 'file:///a' });
      expect(heard).toContain('notifications/tools/list_changed');
      expect(heard).toContain('notifications/resources/updated');
    }, 5000);
    controller.abort();
  });

  it('keeps unknown fields unchanged', async () => {
    const { tools } = await (await reach()).request('tools/list');
    expect(tools).toContainEqual(expect.objectContaining({ name: 'echo', 'x-unknown': 'kept' }));
  });
});

it('is notified that the session has ended', async () => {
  const served = await v1Http();
  ending(served.close);
  const to = await connected(webLink(served.url));
  expect(served.sessions()).toBe(1);
  await to.close();
  expect(served.sessions()).toBe(0);
  expect(await rejection(to.request('ping'))).toMatchObject({ code: 'NOT_CONNECTED' });
});
