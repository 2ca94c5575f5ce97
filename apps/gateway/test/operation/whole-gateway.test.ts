/** A whole gateway: tokens, models, MCP, log and audit. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { parseManifest } from '@holdfast/manifest';
import { startProviderDouble } from '@holdfast/provider-double';
import OpenAI from 'openai';
import { afterEach, expect, test } from 'vitest';
import { createGateway, type Gateway } from '../../src/index.ts';

const secrets = {
  HOLDFAST_TEST_ALICE: 'alice-token-0123456789abcdef',
  HOLDFAST_TEST_BOB: 'bob-token-fedcba9876543210',
  HOLDFAST_TEST_PROVIDER: 'provider-key-0123456789',
} as const;
Object.assign(process.env, secrets);

const closing: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

interface Running {
  readonly gateway: Gateway;
  readonly url: string;
  readonly folder: string;
  readonly lines: () => readonly Record<string, unknown>[];
}

async function start(gatewayEntry: string): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-whole-'));
  closing.push(() => rmSync(folder, { recursive: true, force: true }));
  const source = `
version: 1
store: false
tools:
  - id: greet
    run: { http: { method: GET, url: 'http://127.0.0.1:1/{name}' } }
    retry_policy: { max_attempts: 1 }
gateway:
  reload: false
  tokens: [{ name: alice, env: HOLDFAST_TEST_ALICE }, { name: bob, env: HOLDFAST_TEST_BOB }]
${gatewayEntry}`;
  const { manifest, problems } = parseManifest(source, { file: join(folder, 'holdfast.yaml') });
  if (!manifest) throw new Error(JSON.stringify(problems));
  let text = '';
  const gateway = await createGateway(manifest, { write: (more) => (text += more) });
  closing.push(() => gateway.close(0));
  const { url } = await gateway.listen({ port: 0 });
  const lines = (): readonly Record<string, unknown>[] =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { gateway, url, folder, lines };
}

test('a token of the gateway is the key for an SDK; the provider gets only its own key; repairs are in the log', async () => {
  const double = await startProviderDouble({ script: () => ({ text: 'Sunny.' }), apiKey: secrets.HOLDFAST_TEST_PROVIDER });
  closing.push(() => double.close());
  const { gateway, url, lines } = await start(`
  models:
    openai: { base_url: '${double.baseUrlFor('openai-chat')}', api_key: { env: HOLDFAST_TEST_PROVIDER } }
    anthropic: { base_url: '${double.url}', api_key: { env: HOLDFAST_TEST_PROVIDER } }
`);
  const openai = new OpenAI({ apiKey: secrets.HOLDFAST_TEST_ALICE, baseURL: `${url}/openai/v1`, maxRetries: 0 });
  const anthropic = new Anthropic({ apiKey: secrets.HOLDFAST_TEST_BOB, baseURL: `${url}/anthropic`, maxRetries: 0 });
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: 'user', content: 'Weather?' },
    { role: 'assistant', content: null, tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } }] },
    { role: 'user', content: 'Hello?' },
  ];
  const answer = await openai.chat.completions.create({ model: 'gpt-5.2', messages });
  expect(answer.choices[0]?.message.content).toBe('Sunny.');
  const user = { role: 'user', content: 'Weather?' } as const;
  const stream = anthropic.messages.stream({ model: 'claude-opus-5', max_tokens: 10, messages: [user] });
  expect((await stream.finalMessage()).content).toMatchObject([{ text: 'Sunny.' }]);
  const stranger = new OpenAI({ apiKey: 'stranger', baseURL: `${url}/openai/v1`, maxRetries: 0 });
  await expect(stranger.models.list()).rejects.toMatchObject({ status: 401 });
  await gateway.close(0);
  expect(double.requests).toHaveLength(2);
  expect(lines().filter(({ event }) => event === 'model')).toMatchObject([{ provider: 'openai', repairs: { 'missing-result': 1 } }]);
});

test('log and audit have the name of the token, over MCP, for single calls and for turns; never the token', async () => {
  const { gateway, url, folder, lines } = await start('  audit: audit.jsonl\n');
  const post = (path: string, principal: keyof typeof secrets, body: object): Promise<Response> =>
    fetch(`${url}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: {
        authorization: `Bearer ${secrets[principal]}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
    });
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'tester', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { name: 'greet', arguments: { name: 'mcp' }, _meta: meta };
  const overMcp = await fetch(`${url}/mcp`, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    headers: {
      authorization: `Bearer ${secrets.HOLDFAST_TEST_ALICE}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'greet',
    },
  });
  expect(overMcp.status).toBe(200);
  await overMcp.text();
  await (await post('/v1/calls', 'HOLDFAST_TEST_BOB', { tool_id: 'greet', arguments: { name: 'call' } })).text();
  await (
    await post('/v1/turns', 'HOLDFAST_TEST_ALICE', { calls: [{ call_id: 'a', tool_id: 'greet', arguments: { name: 'turn' } }] })
  ).text();
  await gateway.close();

  const calls = lines().filter(({ event }) => event === 'call');
  expect(calls.map(({ tool_id: tool, principal, client }) => [tool, principal, client])).toEqual([
    ['greet', 'alice', 'tester'],
    ['greet', 'bob', undefined],
    ['greet', 'alice', undefined],
  ]);
  expect(calls.every(({ outcome }) => outcome === 'failed')).toBe(true);
  const audit = readFileSync(join(folder, 'audit.jsonl'), 'utf8');
  const audited = audit
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(audited.map(({ principal, era }) => [principal, era])).toEqual([
    ['alice', 'modern'],
    ['bob', null],
    ['alice', null],
  ]);
  expect(audited[0]?.['arguments_sha256']).toMatch(/^[0-9a-f]{64}$/);
  const reported = audit + JSON.stringify(lines());
  for (const secret of Object.values(secrets)) expect(reported).not.toContain(secret);
});
