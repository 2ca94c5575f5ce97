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

test('what the server wrote is for the operator, not for the client', async () => {
  const cause = new Error('it exited with code 1');
  const down = Object.assign(new Error('down: it exited with code 1; it wrote: token in /etc/x', { cause }), {
    code: 'MCP_SERVER_DOWN',
    stderr: 'x',
  });
  const { call, catalog } = await callsScene(servers(['crm']), { crm: failing(down) });
  expect(textOf(await call('crm__who'))).toBe("The tools of server 'crm' cannot be listed: it exited with code 1");
  expect(catalog.notes()[0]?.message).toContain('it wrote: token in /etc/x');
});

test('only the server with the longest matching prefix explains a name', async () => {
  const source = `version: 1
mcp_servers:
  plain: { command: x, prefix: '' }
  db: { command: x }
  db__old: { command: x, prefix: db__old }
  good: { command: x }
gateway: { tool_lock: off }
`;
  const isDown = failing(new Error('down'));
  const { catalog, call } = await callsScene(source, { plain: isDown, db: isDown, db__old: [tool('get')], good: [tool('get')] });
  const serverOf = (name: string): string | undefined => catalog.unlisted(name)?.server;
  expect([serverOf('db__x'), serverOf('db__old__x'), serverOf('good__x'), serverOf('x')]).toEqual(['db', undefined, undefined, 'plain']);
  await expect(call('good__x')).rejects.toThrow('Unknown tool: good__x');
});
