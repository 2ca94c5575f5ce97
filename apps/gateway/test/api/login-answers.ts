/** Owns requests that cause every documented answer of the routes of logins. */
import { authError } from '../../src/server-auth/auth-error.ts';
import type { LoginRefusal, ServerLogins } from '../../src/server-logins/server-logins.ts';
import { createKit } from './kit.ts';

const refused = (kind: LoginRefusal['kind']): { readonly refusal: LoginRefusal } => ({ refusal: { kind, message: `It is ${kind}` } });

/** The name of a server is what happens there. */
function outcomeAt<Value>(server: string, value: Value): { readonly value: Value } | { readonly refusal: LoginRefusal } {
  if (server === 'down') throw authError('AUTHORIZATION_SERVER_DOWN', 'It does not answer');
  if (server === 'broken') throw authError('AUTHORIZATION_FAILED', 'It has no metadata');
  if (server === 'unknown' || server === 'forbidden' || server === 'other_origin' || server === 'not_here') return refused(server);
  return { value };
}

const logins: Pick<ServerLogins, 'isNeeded' | 'list' | 'begin' | 'end'> = {
  isNeeded: () => true,
  list: () =>
    Promise.resolve({
      logins: [
        {
          server: 'crm',
          principal: 'alice',
          state: 'logged_in',
          issuer: 'https://id.example',
          account: 'a@example.com',
          scopes: ['read'],
          obtained_at: '2026-11-27T10:00:00.000Z',
          expires_at: '2026-11-27T11:00:00.000Z',
          is_renewable: true,
          may_log_in: true,
          may_log_out: true,
        },
        { server: 'crm', state: 'login_required', reason: 'It has none', may_log_in: false, may_log_out: false },
      ],
      login_address: 'http://127.0.0.1:7340/logins',
    }),
  begin: async (_access, server) => {
    const begun = { url: 'https://id.example/authorize', issuer: 'https://id.example', scopes: [] };
    return outcomeAt(server, { begun, cookie: 'holdfast-login-1=x' });
  },
  end: async (_access, server) => outcomeAt(server, { was_known: true, is_revoked: false }),
};

export async function everyLogin(): Promise<void> {
  const kit = createKit({ logins, limits: { bodyBytes: 2_000 } });
  await kit.get('/v1/logins');
  await kit.get('/v1/session');
  for (const server of ['crm', 'unknown', 'forbidden', 'other_origin', 'not_here', 'broken', 'down']) {
    await kit.post(`/v1/logins/${server}`, { for: 'caller' });
    await kit.ask('DELETE', `/v1/logins/${server}?principal=alice`);
  }
  await kit.post('/v1/logins/crm', '{');
  await kit.post('/v1/logins/crm', { for: 'caller', link: 'x'.repeat(3_000) });
  await kit.post('/v1/logins/crm', '{}', { headers: { 'content-type': 'text/plain' } });
  await kit.post('/v1/logins/crm', { for: 'all' });
  await kit.ask('DELETE', `/v1/logins/crm?principal=${'x'.repeat(600)}`);
}
