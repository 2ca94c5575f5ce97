/** How long keys and answers of an issuer are used, and which claims say who a client is. */
import { parseManifest } from '@holdfast/manifest';
import { afterEach, expect, test, vi } from 'vitest';
import { AccessRules } from '../../src/access/access-rules.ts';
import { principalOf } from '../../src/client-auth/claims.ts';
import { Issuer } from '../../src/client-auth/issuer.ts';
import { Verifier } from '../../src/client-auth/verifier.ts';

const url = 'https://id.example.com';
const resource = 'https://tools.example.com/mcp';

afterEach(() => void vi.unstubAllGlobals());

/** A gateway whose issuer gives these answers, and how often it was asked. */
function sceneOf(entry: object, answer: object) {
  const fetched = vi.fn(() => Promise.resolve(Response.json(answer)));
  vi.stubGlobal('fetch', fetched);
  const words = {
    mcp_servers: {},
    gateway: { public_url: 'https://tools.example.com', auth: { issuers: [{ issuer: url, ...entry }] } },
  };
  const { manifest, problems } = parseManifest(JSON.stringify(words), { file: '/srv/holdfast.yaml' });
  const [issuer] = manifest?.gateway.auth?.issuers ?? [];
  if (manifest === undefined || issuer === undefined) throw new Error(JSON.stringify(problems));
  return { gateway: manifest.gateway, issuer, asked: () => fetched.mock.calls.length };
}

test('keys are fetched again after ten minutes, and for an unknown key at most every 30 s', async () => {
  const { issuer: entry, asked } = sceneOf({ jwks_uri: `${url}/keys` }, { keys: [] });
  let now = 1;
  const issuer = new Issuer(entry, () => now);
  await issuer.keys(false);
  now += 600_000;
  await issuer.keys(false);
  expect(asked()).toBe(1);
  now += 1;
  await issuer.keys(false);
  expect(asked()).toBe(2);
  for (let second = 0; second < 30; second += 1) {
    await issuer.keys(true);
    now += 1_000;
  }
  expect(asked()).toBe(2);
  now += 1;
  await issuer.keys(true);
  expect(asked()).toBe(3);
});

test('the answer about an opaque token is used for a minute, and no longer than the token is valid', async () => {
  vi.stubEnv('AGES_SECRET', 'secret');
  const introspection = { client_id: 'gateway', client_secret: { env: 'AGES_SECRET' }, endpoint: `${url}/introspect` };
  for (const [validS, usedMs] of [
    [600, 60_000],
    [20, 20_000],
  ] as const) {
    const { gateway, asked } = sceneOf({ introspection }, { active: true, sub: 'ann', aud: resource, exp: validS });
    let now = 0;
    const verifier = new Verifier({ rules: new AccessRules(gateway), onFault: () => {}, now: () => now, today: () => now });
    verifier.apply(gateway);
    expect(await verifier.verify('opaque', undefined)).toMatchObject({ access: { principal: `${url}|ann` } });
    now = usedMs - 1;
    expect(verifier.known('opaque', undefined)).toMatchObject({ access: {} });
    now = usedMs;
    expect(verifier.known('opaque', undefined)).toBeUndefined();
    expect(asked()).toBe(1);
  }
  vi.unstubAllEnvs();
});

test('an e-mail address does not say who a client is', () => {
  const { issuer } = sceneOf({}, {});
  expect(principalOf({ sub: 'ann', email: 'boss@example.com', email_verified: true }, issuer)).toBe(`${url}|ann`);
  expect(principalOf({ email: 'boss@example.com', email_verified: true, preferred_username: 'boss' }, issuer)).toBeUndefined();
});
