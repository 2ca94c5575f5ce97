/** The Turn API finds tools as MCP clients do: it waits for a server that starts, and says why a server has listed nothing. */
import type { ToolExecutionService } from '@holdfast/core';
import type { JsonObject } from '@holdfast/mcp-wire/server';
import { expect, test } from 'vitest';
import { undividedAccess } from '../../src/access/access.ts';
import { createApi } from '../../src/api/api.ts';
import { callsScene, errorOf, textOf } from '../calls/scene.ts';
import { type FakeUpstream, servers, tool } from '../catalog/scene.ts';
import type { AnyJson } from './kit.ts';

const failing = (code: string) => () => Promise.reject(Object.assign(new Error(`it says ${code}`), { code }));
const plan = (...names: readonly string[]): object => ({ calls: names.map((name, index) => ({ call_id: `c${index}`, tool_id: name })) });

async function scene(names: readonly string[], lists: Readonly<Record<string, FakeUpstream['tools']>>) {
  const { service, catalog, call, upstream } = await callsScene(servers(names), lists);
  catalog.subscribe(() => service.replaceTools(catalog.list().map(({ tool: each }) => each)));
  const api = createApi({ service: service as ToolExecutionService, catalog });
  const send = async (method: string, path: string, body?: object, allows?: (name: string) => boolean): Promise<AnyJson> => {
    const request = new Request(`http://gateway.test${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const access = allows && { ...undividedAccess('one'), allows, allowsAll: false };
    const response = await api.fetch(request, access === undefined ? {} : { access });
    return { status: response.status, retryAfter: response.headers.get('retry-after'), ...((await response.json()) as JsonObject) };
  };
  return { send, call, upstream };
}

test.each([
  ['ECONNREFUSED', 'MCP_SERVER_DOWN', 'transient', true, 'The crm who service is temporarily unavailable.'],
  ['LOGIN_REQUIRED', 'LOGIN_REQUIRED', 'permanent', false, 'The crm who tool needs a login.'],
])('a server that never came up (%s) says why, over every way', async (given, code, classification, retryable, userMessage) => {
  const { send, call } = await scene(['crm'], { crm: failing(given) });
  const message = `The tools of server 'crm' cannot be listed: it says ${given}`;
  const viaMcp = await call('crm__who');
  expect([errorOf(viaMcp)['code'], textOf(viaMcp)]).toEqual([code, message]);
  const called = await send('POST', '/v1/calls', { tool_id: 'crm__who', call_id: 'mine' });
  expect(called).toMatchObject({ status: 'error', call_id: 'mine', attempts: 0 });
  expect(called.error).toMatchObject({ code, message, classification, retryable });
  expect(called.error.user_message).toBe(userMessage);
  for (const answer of [await send('POST', '/v1/turns', plan('crm__who')), await send('GET', '/v1/tools/crm__who')])
    expect(answer).toMatchObject({ status: 503, retryAfter: '5', error: { code, message } });
});

test('a tool is waited for that its server lists after the time for the start', async () => {
  const { send, upstream } = await scene(['crm'], { crm: failing('LOGIN_REQUIRED') });
  upstream('crm').tools = [tool('who')];
  expect(await send('POST', '/v1/turns', plan('crm__who'))).toMatchObject({ outcome: 'success' });
});

test('in a plan with an unknown tool, the unknown one counts: to repeat the request does not help', async () => {
  const { send } = await scene(['crm', 'good'], { crm: failing('ECONNREFUSED'), good: [tool('get')] });
  expect(await send('POST', '/v1/turns', plan('crm__who', 'good__gte'))).toMatchObject({ status: 422, error: { code: 'UNKNOWN_TOOL' } });
});

test('both ways suggest the same name, and none that does not exist for the client', async () => {
  const { send, call } = await scene(['good'], { good: [tool('recall'), tool('record')] });
  const message = "Unknown tool: good__recal. Did you mean 'good__recall'?";
  await expect(call('good__recal')).rejects.toThrow(message);
  expect((await send('POST', '/v1/calls', { tool_id: 'good__recal' })).error.message).toBe(message);
  const others = (name: string): boolean => name !== 'good__recall';
  const limited = await send('POST', '/v1/calls', { tool_id: 'good__recal' }, others);
  expect(limited).toMatchObject({ attempts: 0, error: { code: 'UNKNOWN_TOOL', classification: 'permanent' } });
  expect(JSON.stringify(limited)).not.toContain("'good__recall'");
});
