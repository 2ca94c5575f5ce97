/** Calls of tools whose server has not listed them: the answer says why, as the docs of logins promise. */
import { expect, test } from 'vitest';
import { servers, tool } from '../catalog/scene.ts';
import { callsScene, errorOf, textOf } from './scene.ts';

const failing = (error: Error) => () => Promise.reject(error);
const codeOf = (code: string, more: object = {}): Error => Object.assign(new Error(`it says ${code}`), { code, ...more });

test.each(['LOGIN_REQUIRED', 'SCOPE_REFUSED', 'AUTHORIZATION_FAILED'])('%s is permanent', async (code) => {
  const { call } = await callsScene(servers(['crm']), { crm: failing(codeOf(code)) });
  const answer = await call('crm__who');
  expect(errorOf(answer)).toEqual({ code, category: 'auth', classification: 'permanent', retryable: false });
  expect(textOf(answer)).toContain(`it says ${code}`);
});

test('a refused login that is the cause of the outage is named', async () => {
  const down = codeOf('MCP_SERVER_DOWN', { cause: codeOf('AUTHORIZATION_FAILED') });
  const { call } = await callsScene(servers(['crm']), { crm: failing(down) });
  expect(errorOf(await call('crm__who'))).toMatchObject({ code: 'AUTHORIZATION_FAILED', classification: 'permanent' });
});

test('other failures are those of a server that is down', async () => {
  const { call } = await callsScene(servers(['crm']), { crm: failing(codeOf('ECONNREFUSED')) });
  expect(errorOf(await call('crm__who'))).toMatchObject({ code: 'MCP_SERVER_DOWN', classification: 'transient' });
});

test('after the login, the next call finds the tool', async () => {
  const { call, upstream, catalog } = await callsScene(servers(['crm']), { crm: failing(codeOf('LOGIN_REQUIRED')) });
  expect(errorOf(await call('crm__who'))).toMatchObject({ code: 'LOGIN_REQUIRED' });
  upstream('crm').tools = [tool('who')];
  await call('crm__who');
  expect(catalog.get('crm__who')).toBeDefined();
});
