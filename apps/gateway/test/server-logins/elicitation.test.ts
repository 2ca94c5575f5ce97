/** A call that needs a login, for clients that can open an address (URL elicitation): both eras, and clients that cannot. */
import { expect, test } from 'vitest';
import { connectHttp } from '../fixtures/client/http-client.ts';
import type { AnsweredError, JsonObject } from '../fixtures/client/raw-client.ts';
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
