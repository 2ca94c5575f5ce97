/** The SDK's own clients of both eras, over both transports, against the same handler. */
import { Client as ModernClient, StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { type RecordingHandler, recordingHandler } from './support/handler.ts';
import { eventually, type HttpServerUnderTest, startHttp } from './support/http-server.ts';

const program = {
  command: process.execPath,
  args: ['--conditions=@holdfast/source', fileURLToPath(import.meta.resolve('./support/stdio.program.ts'))],
  stderr: 'pipe' as const,
};
const transports = ['stdio', 'http'] as const;
type Named = (typeof transports)[number];

interface Scene extends AsyncDisposable {
  readonly server: HttpServerUnderTest | undefined;
  readonly handler: RecordingHandler;
}

async function scene(transport: Named): Promise<Scene> {
  const handler = recordingHandler();
  const server = transport === 'http' ? await startHttp(handler) : undefined;
  return {
    handler,
    server,
    async [Symbol.asyncDispose]() {
      await server?.[Symbol.asyncDispose]();
    },
  };
}

const textOf = (result: unknown): unknown => (result as { readonly content: readonly { readonly text: string }[] }).content[0]?.text;

test.for(transports)('a v1 client over %s: tools, progress, questions, logs', async (transport) => {
  await using running = await scene(transport);
  const client = new Client({ name: 'v1', version: '1' }, { capabilities: { elicitation: {} } });
  const logs: unknown[] = [];
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept' as const, content: { name: 'Ada' } }));
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logs.push(params.data));
  const { server } = running;
  await client.connect(
    (server === undefined ? new StdioClientTransport(program) : new StreamableHTTPClientTransport(server.url)) as Transport,
  );
  expect(client.getInstructions()).toBe('Be kind');
  expect(client.getServerVersion()).toMatchObject({ name: 'seen' });
  expect((await client.listTools()).tools).toHaveLength(9);
  expect(textOf(await client.callTool({ name: 'echo', arguments: { deep: { text: 'ü' } } }))).toBe('{"deep":{"text":"ü"}}');
  const progress: unknown[] = [];
  await client.callTool({ name: 'progress' }, undefined, { onprogress: (step) => void progress.push(step) });
  // Over stdio the SDK may handle an answer before progress in the same chunk: this is tested with raw lines.
  const steps = [1, 2, 3].map((step) => ({ progress: step, total: 3, message: `step ${step}` }));
  expect(steps).toEqual(expect.arrayContaining(progress));
  expect(progress.length).toBeGreaterThanOrEqual(server === undefined ? 0 : 3);
  expect(textOf(await client.callTool({ name: 'ask' }))).toBe('{"action":"accept","content":{"name":"Ada"}}');
  await client.callTool({ name: 'log' });
  await client.setLoggingLevel('debug');
  await client.callTool({ name: 'log' });
  await eventually(() => logs.length === 3);
  expect(logs).toEqual(['loud', 'quiet', 'loud']);
  await expect(client.callTool({ name: 'refuse' })).rejects.toMatchObject({ code: -32_602, data: { why: 'because' } });
  await expect(client.callTool({ name: 'break' })).rejects.toThrow(/Internal error$/);
  await expect(client.ping()).resolves.toEqual({});
  await client.close();
});

test('a v1 client over HTTP receives changes of lists and resources on its own stream, and can cancel', async () => {
  await using running = await scene('http');
  const server = running.server as HttpServerUnderTest;
  const { handler } = running;
  const client = new Client({ name: 'v1', version: '1' });
  const heard: string[] = [];
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void heard.push('tools'));
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void heard.push(params.uri));
  const transport = new StreamableHTTPClientTransport(server.url);
  await client.connect(transport as Transport);
  await client.subscribeResource({ uri: 'test://a' });
  await client.subscribeResource({ uri: 'test://a' });
  expect(handler.watched).toEqual(['test://a']);
  server.transport.publish('notifications/tools/list_changed', {});
  server.transport.publish('notifications/resources/updated', { uri: 'test://a' });
  server.transport.publish('notifications/resources/updated', { uri: 'test://b' });
  await eventually(() => heard.length === 2);
  expect(heard).toEqual(['tools', 'test://a']);
  await client.unsubscribeResource({ uri: 'test://a' });
  expect(handler.watched).toEqual([]);
  const controller = new AbortController();
  const waiting = client.callTool({ name: 'wait' }, undefined, { signal: controller.signal });
  await eventually(() => handler.requests.at(-1)?.params['name'] === 'wait');
  controller.abort('enough');
  await expect(waiting).rejects.toThrow(/enough/);
  await handler.aborted('wait');
  await transport.terminateSession();
  expect(handler.gone).toHaveLength(1);
  expect(server.transport.status().sessions).toBe(0);
  await client.close();
});

const eras = ['legacy', 'modern'] as const;
const matrix = eras.flatMap((era) => transports.map((transport) => [era, transport] as const));

test.for(matrix)('a v2 client of the %s era over %s: tools, progress, logs, errors', async ([era, transport]) => {
  await using running = await scene(transport);
  const client = await v2(era, running.server);
  expect(client.getProtocolEra()).toBe(era);
  expect((await client.listTools()).tools).toHaveLength(9);
  expect(textOf(await client.callTool({ name: 'echo', arguments: { a: 1 } }))).toBe('{"a":1}');
  const progress: unknown[] = [];
  await client.callTool({ name: 'progress' }, { onprogress: (step) => void progress.push(step.progress) });
  expect([1, 2, 3]).toEqual(expect.arrayContaining(progress));
  expect(progress.length).toBeGreaterThanOrEqual(running.server === undefined ? 0 : 3);
  await expect(client.callTool({ name: 'refuse' })).rejects.toMatchObject({ code: -32_602 });
  await expect(client.callTool({ name: 'break' })).rejects.toThrow(/Internal error/);
  await client.close();
});

test('a modern client over stdio listens', async () => {
  const client = await v2('modern', undefined);
  const heard: string[] = [];
  client.setNotificationHandler('notifications/tools/list_changed', () => void heard.push('tools'));
  const subscription = await client.listen({ toolsListChanged: true, promptsListChanged: true });
  expect(subscription.honoredFilter).toEqual({ toolsListChanged: true });
  await client.callTool({ name: 'change' });
  await eventually(() => heard.length === 1);
  await client.close();
});

test('a modern client over HTTP listens, and cancels', async () => {
  await using running = await scene('http');
  const { handler } = running;
  const server = running.server as HttpServerUnderTest;
  const client = await v2('modern', server);
  const heard: string[] = [];
  client.setNotificationHandler('notifications/tools/list_changed', () => void heard.push('tools'));
  const subscription = await client.listen({ toolsListChanged: true, promptsListChanged: true });
  expect(subscription.honoredFilter).toEqual({ toolsListChanged: true });
  server.transport.publish('notifications/tools/list_changed', {});
  await eventually(() => heard.length === 1);
  expect(server.transport.status().subscriptions).toBe(1);
  const controller = new AbortController();
  const waiting = client.callTool({ name: 'wait' }, { signal: controller.signal });
  await eventually(() => handler.requests.at(-1)?.params['name'] === 'wait');
  controller.abort('enough');
  await expect(waiting).rejects.toThrow(/enough/);
  await handler.aborted('wait');
  await subscription.close();
  await eventually(() => server.transport.status().subscriptions === 0);
  await client.close();
});

test('a modern client is notified when the server ends its subscription gracefully', async () => {
  await using running = await scene('http');
  const server = running.server as HttpServerUnderTest;
  const client = await v2('modern', server);
  const subscription = await client.listen({ toolsListChanged: true });
  await server.transport.close(0);
  expect(await subscription.closed).toBe('graceful');
  await client.close();
});

test('a v2 client that negotiates the version chooses the modern era over both transports', async () => {
  for (const transport of transports) {
    await using running = await scene(transport);
    const client = await v2('auto', running.server);
    expect(client.getProtocolEra()).toBe('modern');
    await client.close();
  }
});

async function v2(era: 'legacy' | 'modern' | 'auto', server: HttpServerUnderTest | undefined): Promise<ModernClient> {
  const mode = era === 'modern' ? { pin: '2026-07-28' } : era;
  const client = new ModernClient({ name: 'v2', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(server === undefined ? new ModernStdio(program) : new ModernHttp(server.url));
  return client;
}
