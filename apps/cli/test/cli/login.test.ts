/** `holdfast login`, `logout` and what `doctor` says of a missing login, as a person uses them. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exitCodes } from '../../src/exit-codes.ts';
import { Folder } from './program.ts';

let server: Server;
let origin = '';
const revoked: string[] = [];

/** An MCP server that is its own authorization server. Its tokens are `good`. */
beforeAll(async () => {
  server = createServer((request, response) => {
    const url = new URL(request.url ?? '', origin);
    const json = (body: unknown, status = 200, headers: Record<string, string> = {}): void =>
      void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      if (url.pathname === '/.well-known/oauth-protected-resource/mcp')
        return json({ resource: `${origin}/mcp`, authorization_servers: [origin] });
      if (url.pathname === '/.well-known/oauth-authorization-server')
        return json({
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          revocation_endpoint: `${origin}/revoke`,
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none'],
        });
      if (url.pathname === '/register') return json({ client_id: 'me' }, 201);
      if (url.pathname === '/token') return json({ access_token: 'good', refresh_token: 'more', token_type: 'Bearer', expires_in: 3_600 });
      if (url.pathname === '/revoke') return (revoked.push(new URLSearchParams(text).get('token') ?? ''), json({}));
      if (url.pathname === '/authorize') {
        const back = `${url.searchParams.get('redirect_uri')}?code=1&state=${url.searchParams.get('state')}`;
        return response.writeHead(302, { location: back }).end();
      }
      if (url.pathname !== '/mcp') return response.writeHead(404).end();
      if (request.headers.authorization !== 'Bearer good') return json({}, 401, { 'www-authenticate': 'Bearer' });
      if (request.method !== 'POST') return response.writeHead(405).end();
      const { id, method } = JSON.parse(text) as { readonly id?: number; readonly method: string };
      if (id === undefined) return response.writeHead(202).end();
      const serverInfo = { name: 'crm', version: '1' };
      const greeting = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo };
      json({
        jsonrpc: '2.0',
        id,
        result: method === 'initialize' ? greeting : { tools: [{ name: 'find', inputSchema: { type: 'object' } }] },
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

test('doctor names the command, login prints the address and waits, logout revokes', { timeout: 60_000 }, async () => {
  const folder = new Folder();
  const port = 20_000 + (process.pid % 20_000);
  const auth = `{ type: oauth, redirect_url: 'http://127.0.0.1:${port}/callback' }`;
  folder.write({
    'holdfast.yaml': `mcp_servers:\n  crm: { url: '${origin}/mcp', protocol: legacy, auth: ${auth} }\nstore: { path: traces/holdfast.db }\n`,
  });
  const env = { HOLDFAST_CREDENTIALS_KEY: 'a pass phrase that is long enough', HOLDFAST_STORE: undefined };
  const before = await folder.start(['doctor', '-o', 'json'], { env }).ended;
  expect(before.stdout).toContain('"code":"LOGIN_REQUIRED"');
  expect(before.stdout).toContain('login crm');
  expect(before.code).toBe(exitCodes.failed);

  const without = await folder.start(['tools'], { env }).ended;
  expect(without.stderr).toContain("server 'crm' waits for a login: MCP server 'crm' needs a login.");
  expect(without.stderr).not.toContain('is down');

  const login = folder.start(['login', 'crm'], { env });
  let printed = '';
  login.child.stdout?.on('data', (part: Buffer) => (printed += part.toString()));
  await login.printed(`http://127.0.0.1:${port}/callback`);
  await expect.poll(() => printed).toContain('/authorize?');
  const page = await (await fetch(printed.trim())).text();
  expect(page).toContain('Logged in');
  const { code, stderr } = await login.ended;
  expect(stderr).toContain('Logged in to crm');
  expect(`${printed}${stderr}`).not.toContain('good');
  expect(code).toBe(exitCodes.ok);

  const after = await folder.start(['doctor', '-o', 'json'], { env }).ended;
  expect(after.stdout).toContain('crm 1, legacy 2025-11-25, 1 tools');
  const listed = await folder.start(['tools', '-o', 'json'], { env }).ended;
  expect(listed.stdout).toContain('"tool_id":"crm__find"');
  folder.write({
    'shared.yaml': `mcp_servers:\n  crm: { url: '${origin}/mcp', protocol: legacy, auth: ${auth}, isolation: per_principal }\nstore: { path: traces/holdfast.db }\ngateway: { tokens: [{ name: alice, env: ALICE }, { name: bob, env: BOB }, { name: grafana, env: READER, roles: [read] }] }\n`,
  });
  const shared = await folder.start(['doctor', '--config', 'shared.yaml', '-o', 'json'], { env }).ended;
  expect(shared.stdout).toContain('no login for alice, bob:');
  expect(shared.stdout).toContain('login crm --principal alice');
  const onDevice = await folder.start(['login', 'crm', '--device'], { env }).ended;
  expect(onDevice).toMatchObject({ code: exitCodes.failed, stderr: expect.stringContaining('has no login on another device') });
  const logout = await folder.start(['logout', 'crm'], { env }).ended;
  expect(logout.stderr).toContain('tokens are revoked');
  expect(revoked.toSorted()).toEqual(['good', 'more']);
  const unknown = await folder.start(['login', 'crn'], { env }).ended;
  expect(unknown).toMatchObject({ code: exitCodes.usage, stderr: expect.stringContaining("no MCP server 'crn'. It has crm.") });
  folder.remove();
});
