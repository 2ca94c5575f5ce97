/** The small parts of the composition. */
import { describe, expect, test } from 'vitest';
import type { Api } from '../../src/api/parts.ts';
import type { ModelProxy } from '../../src/model-proxy/settings.ts';
import { once } from '../../src/plain/once.ts';
import { createPathRouter } from '../../src/composition/path-router.ts';
import { settingsNeedingRestart } from '../../src/composition/restart-settings.ts';
import { accessTokens } from '../../src/http/token-values.ts';
import { readWords } from '../fixtures/gateway.ts';

describe('once', () => {
  test('creates the value once, on first use', async () => {
    let made = 0;
    const { get, made: isMade } = once(async () => (made += 1));
    expect(isMade()).toBeUndefined();
    expect(await Promise.all([get(), get()])).toEqual([1, 1]);
    expect(await isMade()).toBe(1);
  });

  test('a failed creation is retried', async () => {
    let tries = 0;
    const { get } = once(async () => {
      tries += 1;
      if (tries === 1) throw new Error('not yet');
      return tries;
    });
    await expect(get()).rejects.toThrow('not yet');
    expect(await get()).toBe(2);
  });
});

describe('paths that are not MCP', () => {
  const asked: string[] = [];
  const answering = (name: string) => async (request: Request, more: unknown) => {
    asked.push(name);
    return Response.json({ name, url: request.url, more });
  };
  const rest = createPathRouter({
    metrics: () => new Response('metrics'),
    health: (request) => (request.url.endsWith('/healthz') ? new Response('well') : undefined),
    dashboard: { fetch: async () => new Response('page') },
    api: async () => ({ fetch: answering('api'), drain: async () => {} }) as Api,
    logins: () => Promise.resolve(new Response('logins')),
    models: async () => ({ fetch: answering('models'), close: async () => {} }) as ModelProxy,
  });

  test.each([
    ['/v1/turns', 'api', { principal: 'host' }],
    ['/openapi.json', 'api', { principal: 'host' }],
    ['/openai', 'models', '/openai'],
    ['/openai/v1/chat?key=1', 'models', '/openai/v1/chat'],
    ['/anthropic/v1/a%2Fb', 'models', '/anthropic/v1/a%2Fb'],
    ['/gemini/v1#part', 'models', '/gemini/v1'],
    ['/geminix/v1', 'api', { principal: 'host' }],
  ])('%s is handled by %s', async (path, name, more) => {
    const response = await rest(new Request(`http://127.0.0.1${path}`), { principal: 'host' });
    expect(await response.json()).toMatchObject({ name, more });
  });

  test.each([
    ['/healthz', 'well'],
    ['/metrics', 'metrics'],
    ['/', 'page'],
    ['/turns/a', 'page'],
    ['/assets/a.js', 'page'],
  ])('%s needs no other part', async (path, text) => {
    asked.length = 0;
    expect(await (await rest(new Request(`http://127.0.0.1${path}`), {})).text()).toBe(text);
    expect(asked).toEqual([]);
  });
});

describe('tokens', () => {
  test('have the values of their variables', () => {
    expect(accessTokens([{ name: 'host', env: 'A' }], { A: 'long enough' })).toEqual([{ name: 'host', secret: 'long enough' }]);
  });

  test.each([
    [{}, "gateway.tokens[0]: the environment variable A of the token 'host' is not set."],
    [{ A: '' }, 'is empty'],
  ])('without a value are refused with their name', (environment, message) => {
    expect(() => accessTokens([{ name: 'host', env: 'A' }], environment)).toThrow(message);
  });

  test.each(['with a line break\n', ' with a space', 'nicht über HTTP', '\u0000'])('that no client can send are refused: %j', (value) => {
    expect(() => accessTokens([{ name: 'host', env: 'A' }], { A: value })).toThrow("'host' has a character that no client can send");
  });

  test('of two clients must differ', () => {
    const both = [
      { name: 'alice', env: 'A' },
      { name: 'bob', env: 'B' },
    ];
    expect(() => accessTokens(both, { A: 'same', B: 'same' })).toThrow("'bob' has the value of the token 'alice'");
    expect(accessTokens(both, { A: 'one', B: 'other' })).toHaveLength(2);
  });
});

describe('settings that need a restart', () => {
  const base = { version: 1, tools: [{ id: 'one', run: { command: { command: 'true' } } }] };
  const manifest = (words: object) => readWords({ ...base, ...words }, '/somewhere/holdfast.yaml');

  test.each<readonly [object, readonly string[]]>([
    [{}, []],
    [{ defaults: { timeout_ms: 7 } }, []],
    [{ mcp_servers: { a: { command: 'true' } } }, []],
    [{ profile: 'service' }, ['profile']],
    [{ memory: 'on' }, ['memory']],
    [{ gateway: { heartbeat_ms: 500 } }, []],
    [{ gateway: { allowed_hosts: ['here.example'], listen: { port: 1 } } }, ['gateway.listen', 'gateway.allowed_hosts']],
  ])('%j', (words, expected) => {
    expect(settingsNeedingRestart(manifest({}), manifest(words))).toEqual(expected);
  });
});
