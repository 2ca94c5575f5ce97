/** Real processes: a server of the first era, one of both, and one that dies. */
import { reliableClient } from '@holdfast/mcp';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const fixture = { command: process.execPath, args: [join(import.meta.dirname, 'fixtures/server.ts')], stderr: 'ignore' as const };
const everything = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist/index.js',
);
const info = { name: 'test', version: '1.0.0' };

async function second(mode: 'legacy' | { readonly pin: '2026-07-28' }): Promise<Client> {
  const client = new Client(info, { versionNegotiation: { mode } });
  onTestFinished(() => client.close());
  await client.connect(new StdioClientTransport(fixture));
  return client;
}

it('v1: calls a third-party server as without Holdfast', async () => {
  const client = new FirstClient(info);
  onTestFinished(() => client.close());
  await client.connect(new FirstTransport({ command: process.execPath, args: [everything, 'stdio'], stderr: 'ignore' }));
  const safe = reliableClient(client);
  const echo = { name: 'echo', arguments: { message: 'hi' } };
  expect(await safe.callTool(echo)).toEqual(await client.callTool(echo));
  expect(await safe.listTools()).toEqual(await client.listTools());
  const wrong = await safe.callTool({ name: 'echo', arguments: { massage: 'hi' } });
  expect(wrong).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("'message' missing") as string }] });
});

it('v2, 2026-07-28: a question to the host is passed on, and so is its answer', async () => {
  const safe = reliableClient(await second({ pin: '2026-07-28' }));
  const asked = await safe.callTool({ name: 'confirm' }, { allowInputRequired: true } as never);
  expect(asked).toMatchObject({ resultType: 'input_required', requestState: 'opaque' });
  const params = { name: 'confirm', inputResponses: {}, requestState: 'opaque' };
  expect(await safe.callTool(params)).toMatchObject({ content: [{ text: 'confirmed' }] });
  expect(safe.reliable.service.getToolHealth('confirm')?.circuit).toBe('closed');
});

it.each(['legacy', { pin: '2026-07-28' }] as const)('a server that dies is reported as dead, also in later calls (%o)', async (mode) => {
  // Three attempts: a fourth would wait for the retry budget.
  const safe = reliableClient(await second(mode), { policy: { retry: { maxAttempts: 3, initialDelayMs: 1, maxDelayMs: 1 } } });
  expect(await safe.callTool({ name: 'echo', arguments: { a: 1 } })).toMatchObject({ content: [{ text: '{"a":1}' }] });
  const dead = await safe.callTool({ name: 'crash' });
  expect(dead).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/^Error \w+: .*(closed|connected)/i) as string }] });
  const gone = await safe.callTool({ name: 'echo' });
  expect(gone).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/^Error \w+: .*(closed|connected)/i) as string }] });
});
