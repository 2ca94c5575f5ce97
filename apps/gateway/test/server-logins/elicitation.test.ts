/** A call that needs a login, for clients that can open an address (URL elicitation): both eras, and clients that cannot. */
import { expect, test } from 'vitest';
import { connectHttp } from '../fixtures/client/http-client.ts';
import type { AnsweredError, JsonObject } from '../fixtures/client/raw-client.ts';
import { programServer } from '../fixtures/manifests.ts';
import { referenceProgram } from '../fixtures/programs.ts';
import { openScene, type Scene, secretOf } from './scene.ts';

const capabilities = { elicitation: { form: {}, url: {} } };
const name = 'crm__who';
const people = { operator: ['call', 'operate'], alice: ['call'], bob: ['call'] };

/** What a person does who opens the page: presses the button and logs in. */
async function visit({ browser, world }: Scene, address: string, person?: string): Promise<number> {
  const { searchParams, pathname } = new URL(address);
  expect([pathname, searchParams.get('server')]).toEqual(['/logins', 'crm']);
  const { begin, open } = browser(person);
  const link = searchParams.get('link');
  const url = await begin(person === undefined ? 'gateway' : 'caller', link === null ? {} : { link });
  return (await open(await world.accept(url))).status;
}

test('a legacy client gets -32042 with the page, and is told when the login is there', async () => {
  const scene = await openScene();
  await using client = await connectHttp(scene.gateway.url, { era: 'legacy', capabilities, listen: true });
  await using other = await connectHttp(scene.gateway.url, { era: 'legacy', capabilities, listen: true });
  const error = (await client.call(name).catch((reason: unknown) => reason)) as AnsweredError;
  expect(error).toMatchObject({
    code: -32_042,
    message: expect.stringContaining('holdfast login crm'),
    data: {
      elicitations: [
        {
          mode: 'url',
          elicitationId: expect.any(String),
          url: expect.any(String),
          message: expect.stringContaining("'crm' needs a login"),
        },
      ],
    },
  });
  const [{ url, elicitationId }] = (error.data as { readonly elicitations: [{ readonly url: string; readonly elicitationId: string }] })
    .elicitations;
  const { begin } = scene.browser();
  await expect(begin('gateway')).rejects.toThrow('operate');
  await expect(begin('gateway', { link: 'guessed' })).rejects.toThrow('operate');
  expect(await visit(scene, url)).toBe(200);
  await expect.poll(() => client.notifications).toContainEqual({ method: 'notifications/elicitation/complete', params: { elicitationId } });
  expect(other.notifications.filter(({ method }) => method.includes('elicitation'))).toEqual([]);
  expect(await client.call(name)).toMatchObject({ content: [{ text: 'alice' }] });
});

test('a modern client is asked, and its call waits for the login', async () => {
  const scene = await openScene({ people, server: { isolation: 'per_principal' } });
  const { operator, alice } = { operator: scene.browser('operator'), alice: scene.browser('alice') };
  await operator.open(await scene.world.accept(await operator.begin('gateway')));
  await using client = await connectHttp(scene.gateway.url, {
    era: 'modern',
    capabilities,
    headers: { authorization: `Bearer ${secretOf('alice')}` },
  });
  await expect.poll(async () => JSON.stringify(await client.request('tools/list'))).toContain(name);
  const params = { name, arguments: {} };
  const asked = await client.request('tools/call', params);
  const { requestState, inputRequests } = asked as { requestState: string; inputRequests: Record<string, { params: JsonObject }> };
  expect(asked).toMatchObject({
    resultType: 'input_required',
    inputRequests: { login: { method: 'elicitation/create', params: { mode: 'url' } } },
  });

  const decline = { ...params, requestState, inputResponses: { login: { action: 'decline' } } };
  expect(await client.request('tools/call', decline)).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('holdfast login crm --principal alice') }],
    _meta: { 'dev.holdfast/error': { code: 'LOGIN_REQUIRED' } },
  });
  const accepted = client.request('tools/call', { ...params, requestState, inputResponses: { login: { action: 'accept' } } });
  expect(await visit(scene, String(inputRequests['login']?.params['url']), 'alice')).toBe(200);
  expect(await accepted).toMatchObject({ content: [{ text: 'alice' }] });
  expect(alice.cookies.size).toBe(0);
});

test('a client that cannot open an address, or may not log in there, gets the error as before', async () => {
  const scene = await openScene({ people });
  const headers = { authorization: `Bearer ${secretOf('alice')}` };
  // The server has one login for all clients: only an operator may log in.
  for (const [era, declared] of [
    ['legacy', capabilities],
    ['modern', capabilities],
    ['legacy', { elicitation: {} }],
    ['modern', { elicitation: { form: {} } }],
  ] as const) {
    await using client = await connectHttp(scene.gateway.url, { era, capabilities: declared, headers });
    expect(await client.call(name)).toMatchObject({ isError: true, _meta: { 'dev.holdfast/error': { code: 'LOGIN_REQUIRED' } } });
  }
  await using operator = await connectHttp(scene.gateway.url, {
    era: 'legacy',
    capabilities,
    headers: { authorization: `Bearer ${secretOf('operator')}` },
  });
  await expect(operator.call(name)).rejects.toMatchObject({ code: -32_042 });
});

/** All that a server has besides tools. A modern client watches resources with a subscription, which has no result to ask in. */
const requests = {
  'resources/read': { uri: 'crm://who' },
  'prompts/get': { name: 'crm__who' },
  'completion/complete': { ref: { type: 'ref/prompt', name: 'crm__who' }, argument: { name: 'a', value: '' } },
  'resources/subscribe': { uri: 'crm://who' },
};
const words = { world: { hasMore: true }, settings: { input_timeout_ms: 20_000 } };

test('resources, prompts, completion and subscriptions of a server without a login: a legacy client gets -32042', async () => {
  const scene = await openScene(words);
  await using client = await connectHttp(scene.gateway.url, { era: 'legacy', capabilities, listen: true });
  let last: { readonly url: string; readonly elicitationId: string } | undefined;
  for (const [method, params] of Object.entries(requests)) {
    const error = (await client.request(method, params).catch((reason: unknown) => reason)) as AnsweredError;
    expect(error, method).toMatchObject({
      code: -32_042,
      message: expect.stringContaining('holdfast login crm'),
      data: { elicitations: [{ mode: 'url', message: expect.stringContaining("'crm' needs a login") }] },
    });
    [last] = (error.data as { readonly elicitations: [{ readonly url: string; readonly elicitationId: string }] }).elicitations;
  }
  expect(await visit(scene, String(last?.url))).toBe(200);
  const completed = { method: 'notifications/elicitation/complete', params: { elicitationId: last?.elicitationId } };
  await expect.poll(() => client.notifications).toContainEqual(completed);
  expect(await client.request('resources/read', { uri: 'crm://who' })).toMatchObject({ contents: [{ text: 'alice' }] });
  expect(await client.request('prompts/get', { name: 'crm__who' })).toMatchObject({ messages: [{ content: { text: 'alice' } }] });
});

test('a modern client is asked once for resources and prompts, and its request waits for the login', async () => {
  const scene = await openScene(words);
  await using client = await connectHttp(scene.gateway.url, { era: 'modern', capabilities });
  const read = { uri: 'crm://who' };
  const asked = await client.request('resources/read', read);
  expect(await client.request('prompts/get', { name: 'crm__who' })).toMatchObject({ resultType: 'input_required' });
  const { requestState, inputRequests } = asked as { requestState: string; inputRequests: Record<string, { params: JsonObject }> };
  expect(asked).toMatchObject({ resultType: 'input_required', inputRequests: { login: { params: { mode: 'url' } } } });
  // The era does not allow to answer a completion with a question.
  await expect(client.request('completion/complete', requests['completion/complete'])).rejects.toMatchObject(refusal);

  const answered = (action: string): Promise<JsonObject> =>
    client.request('resources/read', { ...read, requestState, inputResponses: { login: { action } } });
  await expect(answered('decline')).rejects.toMatchObject(refusal);
  const accepted = answered('accept');
  expect(await visit(scene, String(inputRequests['login']?.params['url']))).toBe(200);
  expect(await accepted).toMatchObject({ contents: [{ text: 'alice' }] });
});

const refusal = {
  message: expect.stringContaining('holdfast login crm'),
  data: { 'dev.holdfast/error': { server: 'crm', code: 'LOGIN_REQUIRED', retryable: false } },
};

test('a client that cannot open an address learns where to log in, and a login of its own concerns it alone', async () => {
  const scene = await openScene({ ...words, people, server: { isolation: 'per_principal' } });
  const operator = scene.browser('operator');
  await operator.open(await scene.world.accept(await operator.begin('gateway')));
  const headers = { authorization: `Bearer ${secretOf('alice')}` };
  for (const era of ['legacy', 'modern'] as const) {
    await using plain = await connectHttp(scene.gateway.url, { era, capabilities: { elicitation: {} }, headers });
    await expect.poll(async () => JSON.stringify(await plain.request('tools/list'))).toContain(name);
    await expect(plain.request('resources/read', { uri: 'crm://who' }), era).rejects.toMatchObject({
      message: expect.stringContaining('holdfast login crm --principal alice'),
      data: { 'dev.holdfast/error': { code: 'LOGIN_REQUIRED', retryable: false } },
    });
  }
  await using able = await connectHttp(scene.gateway.url, { era: 'legacy', capabilities, headers });
  await expect(able.request('prompts/get', { name: 'crm__who' })).rejects.toMatchObject({ code: -32_042 });
  await using other = await connectHttp(scene.gateway.url, {
    era: 'legacy',
    capabilities,
    headers: { authorization: `Bearer ${secretOf('operator')}` },
  });
  expect(scene.world.callers).toEqual([]);
  await expect(other.request('resources/read', { uri: 'crm://who' })).rejects.toMatchObject({
    code: -32_042,
    message: expect.stringContaining('--principal operator'),
  });
});

test('with several servers, a login is asked for only where no other server has the resource', async () => {
  const others = { files: programServer(referenceProgram) };
  const scene = await openScene({ ...words, others });
  await using client = await connectHttp(scene.gateway.url, { era: 'legacy', capabilities: {} });
  await expect.poll(async () => JSON.stringify(await client.request('resources/list'))).toContain('test://static-text');
  expect(await client.request('resources/read', { uri: 'test://static-text' })).toMatchObject({ contents: [{ mimeType: 'text/plain' }] });
  await expect(client.request('resources/read', { uri: 'else://where' })).rejects.toMatchObject(refusal);
});
