/** Two clients of one gateway, each with a login of its own at the same server. */
import { randomBytes } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { createServerAuth } from '../../src/server-auth/server-auth.ts';
import { readWords, startGateway, writeWords } from '../fixtures/gateway.ts';
import { redirectUri } from './fixtures/logins.ts';
import { startWorld } from './fixtures/world.ts';

test('never use the login of the other', { timeout: 60_000 }, async () => {
  vi.stubEnv('HOLDFAST_CREDENTIALS_KEY', randomBytes(32).toString('base64'));
  vi.stubEnv('ALICE_TOKEN', 'token-of-alice-0123456789');
  vi.stubEnv('BOB_TOKEN', 'token-of-bob-0123456789');
  await using world = await startWorld();
  const tokens = ['alice', 'bob'].map((name) => ({ name, env: `${name.toUpperCase()}_TOKEN` }));
  const words = {
    mcp_servers: { crm: { url: world.url, auth: 'oauth', isolation: 'per_principal', protocol: 'legacy' } },
    gateway: { reload: false, tokens },
  };
  const manifestPath = await writeWords(words);
  const manifest = readWords(words, manifestPath);
  const entry = manifest.mcpServers['crm'];
  if (entry === undefined) throw new Error('no server');
  const auth = createServerAuth(manifest);
  const logIn = async (subject: string, principal: string): Promise<void> => {
    world.subject = subject;
    const { url } = await auth.begin('crm', entry, principal, { redirectUri });
    await auth.complete(await world.accept(url), () => entry);
  };
  await logIn('the gateway', '');
  await logIn('alice', 'alice');
  await using gateway = await startGateway(words, { manifestPath });
  await gateway.gateway.ready();
  const call = async (name: string): Promise<string> => {
    const answer = await fetch(gateway.url, {
      method: 'POST',
      headers: {
        authorization: `Bearer token-of-${name}-0123456789`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'crm__who', arguments: {} } }),
    });
    return await answer.text();
  };
  expect(await call('alice')).toContain('"text":"alice"');
  const missing = await call('bob');
  expect(missing).toContain('LOGIN_REQUIRED');
  expect(missing).toContain('holdfast login crm --principal bob');
  await logIn('bob', 'bob');
  const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => call(index % 2 === 0 ? 'alice' : 'bob')));
  answers.forEach((answer, index) => expect(answer).toContain(`"text":"${index % 2 === 0 ? 'alice' : 'bob'}"`));
  expect(new Set(world.callers)).toEqual(new Set(['alice', 'bob']));
  await auth.close();
  vi.unstubAllEnvs();
});
