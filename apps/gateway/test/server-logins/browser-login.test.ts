/** Logins to a server in a browser, at a gateway with several clients: what works, and what others try. */
import { expect, test } from 'vitest';
import { call, openScene, secretOf } from './scene.ts';

const people = { operator: ['call', 'operate'], alice: ['call'], bob: ['call'], reader: ['read'] };
const isolated = { isolation: 'per_principal' };

test('an operator logs the gateway in, sees as whom, and logs it out', async () => {
  const { world, gateway, browser } = await openScene({ people, world: { account: 'ops@example.com' } });
  const { api, begin, open } = browser('operator');
  expect((await api('GET', '/v1/logins')).body).toMatchObject({
    logins: [{ server: 'crm', state: 'login_required', may_log_in: true, may_log_out: false }],
    login_address: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/logins$/),
  });
  const done = await open(await world.accept(await begin('gateway')));
  expect(done).toMatchObject({ status: 200, text: expect.stringContaining('The login to crm is complete.') });
  expect(done.headers.get('location')).toBeNull();
  expect(done.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
  const { body } = await api('GET', '/v1/logins');
  expect(body).toMatchObject({
    logins: [{ state: 'logged_in', issuer: world.issuer, account: 'ops@example.com', is_renewable: true, may_log_out: true }],
  });
  expect(JSON.stringify(body)).not.toMatch(/access-|refresh-/);
  await expect.poll(() => call(gateway.url, 'alice')).toContain('"text":"alice"');
  expect((await api('DELETE', '/v1/logins/crm')).body).toEqual({ was_known: true, is_revoked: true });
  expect(world.revoked).toHaveLength(2);
  expect((await api('GET', '/v1/logins')).body).toMatchObject({ logins: [{ state: 'login_required' }] });
});

test('a login is completed once, in the browser that began it, at the address of its server', async () => {
  const { world, origin, browser } = await openScene({ people, server: isolated });
  const [alice, bob] = [browser('alice'), browser('bob')];
  const logins = async (): Promise<unknown> => (await browser('reader').api('GET', '/v1/logins')).body['logins'];

  // Bob is led to the login of alice, or alice to that of bob: with the cookies of another login, or with none.
  for (const victim of [bob, browser()]) {
    const url = await alice.begin('caller');
    await bob.begin('caller');
    const callback = await world.accept(url);
    expect(await victim.open(callback)).toMatchObject({ status: 400, text: expect.stringContaining('another browser') });
    // The code has been seen elsewhere: the attempt has ended.
    expect(await alice.open(callback)).toMatchObject({ status: 400 });
  }
  const elsewhere = await world.accept(await alice.begin('caller'));
  elsewhere.pathname = '/oauth/callback/other';
  expect(await alice.open(elsewhere)).toMatchObject({ status: 400, text: expect.stringContaining('another server') });
  const forged = await world.accept(await alice.begin('caller'));
  forged.searchParams.set('iss', 'https://evil.example');
  expect(await alice.open(forged)).toMatchObject({ status: 400, text: expect.stringContaining('does not come from the server') });
  expect(await alice.open(`${origin}/oauth/callback/crm?code=x&state=b.${'x'.repeat(43)}`)).toMatchObject({ status: 400 });
  expect(await alice.open(`${origin}/oauth/callback/crm`)).toMatchObject({ status: 400 });
  expect(world.tokenRequests).toEqual([]);
  expect(await logins()).toEqual(expect.not.arrayContaining([expect.objectContaining({ state: 'logged_in' })]));

  const callback = await world.accept(await alice.begin('caller'));
  const opened = await Promise.all([alice.open(callback), alice.open(callback), alice.open(callback)]);
  expect(opened.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(world.tokenRequests).toHaveLength(1);
  expect(await logins()).toEqual(expect.arrayContaining([expect.objectContaining({ principal: 'alice', state: 'logged_in' })]));
});

test('clients log in and out for themselves alone, and do not see the logins of others', async () => {
  const { world, gateway, browser } = await openScene({ people, server: isolated, world: { account: 'crm-account' } });
  const [alice, bob, operator] = [browser('alice'), browser('bob'), browser('operator')];
  await operator.open(await world.accept(await operator.begin('gateway')));
  await alice.open(await world.accept(await alice.begin('caller')));

  await expect(bob.begin('gateway')).rejects.toThrow("requires the role 'operate'");
  await expect(browser('reader').begin('caller')).rejects.toThrow('has no login of its own');
  expect(await bob.api('DELETE', '/v1/logins/crm?principal=alice')).toMatchObject({ status: 403 });
  expect(await bob.api('DELETE', '/v1/logins/crm')).toMatchObject({ status: 403 });
  expect((await bob.api('POST', '/v1/logins/crm', { for: 'caller', principal: 'alice' })).status).toBe(422);
  expect((await bob.api('POST', '/v1/logins/other', { for: 'caller' })).status).toBe(404);

  const seen = (await bob.api('GET', '/v1/logins')).body['logins'] as readonly Record<string, unknown>[];
  expect(seen.map(({ principal, state }) => [principal, state])).toEqual([
    [undefined, 'logged_in'],
    ['bob', 'login_required'],
  ]);
  expect(JSON.stringify(seen)).not.toMatch(/alice|crm-account/);
  await expect.poll(() => call(gateway.url, 'alice')).toContain('"text":"alice"');
  expect(await call(gateway.url, 'bob')).toContain('LOGIN_REQUIRED');
  await expect
    .poll(async () => (await operator.api('GET', '/v1/upstreams')).body)
    .toMatchObject({ upstreams: [{ logins_missing: ['operator', 'bob'] }] });
  const ready = await browser().api('GET', '/readyz');
  expect(ready.body).toMatchObject({ ready: true, upstreams: [{ name: 'crm', logins_missing: 2 }] });
  expect(JSON.stringify(ready.body)).not.toContain('bob');

  expect((await alice.api('DELETE', '/v1/logins/crm?principal=alice')).body).toMatchObject({ was_known: true });
  expect((await operator.api('DELETE', '/v1/logins/crm?principal=bob')).body).toMatchObject({ was_known: false });
});

test('another origin, and another name of the same machine, begin nothing', async () => {
  const { browser, origin, world } = await openScene({ people });
  const { api } = browser('operator');
  const begin = (from: string, type = 'application/json'): Promise<{ readonly status: number }> =>
    api('POST', '/v1/logins/crm', { for: 'gateway' }, { origin: from, 'content-type': type });
  expect(await begin('https://evil.example')).toMatchObject({ status: 403 });
  expect(await begin(origin, 'text/plain')).toMatchObject({ status: 415 });
  const localhost = origin.replace('127.0.0.1', 'localhost');
  const headers = { origin: localhost, authorization: `Bearer ${secretOf('operator')}`, 'content-type': 'application/json' };
  const elsewhere = await fetch(`${localhost}/v1/logins/crm`, { method: 'POST', headers, body: '{"for":"gateway"}' });
  expect(elsewhere.status).toBe(409);
  expect(await elsewhere.text()).toContain(`${origin}/logins`);
  expect(world.requests).toEqual([]);
});

test('behind a public address, it describes itself in a document, and its cookie is for this host over https only', async () => {
  const settings = { public_url: 'https://tools.example.com/' };
  const { browser, origin, world } = await openScene({
    people,
    settings,
    world: { metadata: { client_id_metadata_document_supported: true } },
  });
  const { api } = browser('operator');
  const answer = await api('POST', '/v1/logins/crm', { for: 'gateway' });
  const url = new URL(String(answer.body['url']));
  const id = 'https://tools.example.com/.well-known/oauth-client/crm.json';
  expect(url.searchParams.get('client_id')).toBe(id);
  expect(url.searchParams.get('redirect_uri')).toBe('https://tools.example.com/oauth/callback/crm');
  expect(answer.headers.getSetCookie().join()).toMatch(
    /^__Host-holdfast-login-[0-9a-f]{16}=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  );
  expect(world.requests).not.toContain('POST /register');
  const document = await fetch(`${origin}/.well-known/oauth-client/crm.json`);
  expect(await document.json()).toEqual({
    client_id: id,
    client_uri: 'https://tools.example.com',
    client_name: 'Holdfast',
    redirect_uris: ['https://tools.example.com/oauth/callback/crm'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: 'web',
    token_endpoint_auth_method: 'none',
  });
  expect((await fetch(`${origin}/.well-known/oauth-client/other.json`)).status).toBe(404);
});
