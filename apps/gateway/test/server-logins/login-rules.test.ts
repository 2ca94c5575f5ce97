/** Who may begin the login of the gateway with a link, for how long, and whose login is reported as missing. */
import { parseManifest } from '@holdfast/manifest';
import { afterEach, expect, test, vi } from 'vitest';
import { AccessRules } from '../../src/access/access-rules.ts';
import type { Access } from '../../src/access/access.ts';
import { LoginLinks } from '../../src/server-logins/login-links.ts';
import { ServerLogins, type ServerLoginsOptions } from '../../src/server-logins/server-logins.ts';

const root = 'http://127.0.0.1:7340';
const crm = { url: 'https://crm.example.com/mcp', auth: 'oauth', isolation: 'per_principal' };

function sceneOf(tokens: readonly object[], auth: Partial<ServerLoginsOptions['auth']> = {}) {
  const { manifest, problems } = parseManifest(JSON.stringify({ mcp_servers: { crm }, gateway: { tokens } }), {
    file: '/srv/holdfast.yaml',
  });
  if (manifest === undefined) throw new Error(JSON.stringify(problems));
  const rules = new AccessRules(manifest.gateway);
  const begun: string[] = [];
  const logins = new ServerLogins({
    auth: {
      stored: () => Promise.resolve([]),
      required: () => [],
      begin(_server, _entry, principal) {
        begun.push(principal);
        return Promise.resolve({ url: 'https://id.example.com/authorize', state: 'b.state', issuer: 'https://id.example.com', scopes: [] });
      },
      complete: () => Promise.reject(new Error('not here')),
      logout: () => Promise.resolve({ wasKnown: false, isRevoked: false }),
      ...auth,
    },
    current: () => manifest,
    keepsApart: () => rules.keepsApart,
    mayCall: (token) => rules.ofName(token).roles.has('call'),
    address: () => root,
    hasPage: true,
    isLink: (link, server) => link === 'given' && server === 'crm',
    redact: (text) => text,
  });
  const begin = (access: Access, link: string) => logins.begin(access, 'crm', { for: 'gateway', link }, root);
  return { begin, begun, rules, missing: () => logins.missing('crm', manifest.mcpServers['crm'] as never) };
}

const people = ['alice', 'bob'].map((name) => ({ name, env: 'X' }));

test('a link is accepted in place of the operator token on a gateway without tokens only', async () => {
  const alone = sceneOf([]);
  expect(await alone.begin(alone.rules.ofName(undefined), 'given')).toHaveProperty('value');
  expect(await alone.begin(alone.rules.ofName(undefined), 'guessed')).toMatchObject({ refusal: { kind: 'forbidden' } });
  expect(alone.begun).toEqual(['']);
  const shared = sceneOf(people);
  expect(await shared.begin(shared.rules.ofName('alice'), 'given')).toMatchObject({ refusal: { kind: 'forbidden' } });
  expect(shared.begun).toEqual([]);
});

test('a client with the role operate alone logs the gateway in, and not itself', async () => {
  const shared = sceneOf([...people, { name: 'ops', env: 'X', roles: ['operate'] }]);
  expect(await shared.begin(shared.rules.ofName('ops'), '')).toHaveProperty('value');
  expect(shared.begun).toEqual(['']);
});

test('missing logins are those of tokens that may call, and of clients that have called without a login', async () => {
  const missing = { since: 1, reason: 'no login' };
  const { missing: missingAt } = sceneOf([...people, { name: 'reader', env: 'X', roles: ['read'] }], {
    required: () => [{ server: 'crm', principal: '~0123', name: 'https://id.example.com|ann', ...missing }],
    stored: () =>
      Promise.resolve([
        { principal: 'bob', issuer: 'i', account: undefined, scopes: [], obtainedAt: 1, expiresAt: undefined, isRenewable: true },
      ]),
  });
  expect(await missingAt()).toEqual(['alice', 'https://id.example.com|ann']);
});

afterEach(() => void vi.useRealTimers());

test('a link is valid for ten minutes, for its server, and cannot be guessed', () => {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
  const links = new LoginLinks({ version: () => Promise.resolve(undefined) });
  const link = links.add({ server: 'crm', principal: '' }, undefined, () => {});
  expect(link).toMatch(/^[\w-]{32}$/);
  expect([links.isFor(link, 'crm'), links.isFor(link, 'other'), links.isFor(link.slice(1), 'crm')]).toEqual([true, false, false]);
  const own = links.add({ server: 'crm', principal: 'alice' }, undefined, () => {});
  expect(links.isFor(own, 'crm')).toBe(false);
  vi.advanceTimersByTime(599_999);
  expect(links.isFor(link, 'crm')).toBe(true);
  vi.advanceTimersByTime(2);
  expect(links.isFor(link, 'crm')).toBe(false);
  links.close();
});
