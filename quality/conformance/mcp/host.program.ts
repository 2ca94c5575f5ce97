/**
 * A program: a gateway in front of the server whose URL is its last argument, a person who logs in where the gateway says so, and a client that calls every tool
 * twice. The suite's authorization servers check the gateway as their client. The environment names the scenario and holds the credentials that it has assigned.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGateway, logIn } from '@holdfast/gateway';
import { parseManifest } from '@holdfast/manifest';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const protocol = process.env['MCP_CONFORMANCE_PROTOCOL_VERSION'] === '2026-07-28' ? 'modern' : 'legacy';
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Readonly<Record<string, string>>;
process.env['HOLDFAST_CREDENTIALS_KEY'] = randomBytes(32).toString('base64');

/** Secrets are in the environment, as in a real manifest. */
function secret(name: string): { readonly env: string } | undefined {
  const env = `CONFORMANCE_${name.toUpperCase()}`;
  if (context[name] === undefined) return undefined;
  process.env[env] = context[name];
  return { env };
}

function settings(redirectUrl: string): unknown {
  const own = { client_id: context['client_id'], client_secret: secret('client_secret') };
  switch (scenario) {
    case 'auth/client-credentials-basic':
      return { type: 'client_credentials', ...own };
    case 'auth/client-credentials-jwt':
      return { type: 'client_credentials', ...own, private_key: secret('private_key_pem'), algorithm: context['signing_algorithm'] };
    case 'auth/wif-jwt-bearer':
      return { type: 'client_credentials', ...own, assertion: secret('valid_jwt') };
    case 'auth/enterprise-managed-authorization': {
      const provider = { issuer: context['idp_issuer'], client_id: context['idp_client_id'] };
      const subject = { subject_token: secret('idp_id_token'), subject_token_type: 'id_token' };
      return { type: 'token_exchange', ...own, ...subject, identity_provider: provider };
    }
    default: {
      const document = 'https://conformance-test.local/client-metadata.json';
      return { type: 'oauth', ...own, client_metadata_url: document, redirect_url: redirectUrl };
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const folder = mkdtempSync(join(tmpdir(), 'holdfast-host-'));
const server = { url: process.argv.at(-1), protocol, prefix: '', auth: settings(`http://127.0.0.1:${await freePort()}/callback`) };
const { manifest, problems } = parseManifest(JSON.stringify({ mcp_servers: { upstream: server }, gateway: { reload: false } }), {
  file: join(folder, 'holdfast.yaml'),
});
if (manifest === undefined) throw new Error(JSON.stringify(problems));
const gateway = await createGateway(manifest, { log: 'off', onFault: (text) => process.stderr.write(`gateway: ${text}\n`) });
const { url } = await gateway.listen({ host: '127.0.0.1', port: 0 });
const client = new Client({ name: 'host', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const needsLogin = (): boolean => gateway.upstreams().some(({ loginRequired }) => loginRequired !== undefined);

/** As `holdfast login`, with a browser in which the person accepts at once. Resolves to whether there is a login. */
async function acceptLogin(usable: NonNullable<typeof manifest>): Promise<boolean> {
  const abort = new AbortController();
  const giveUp = setTimeout(() => abort.abort(new Error('the browser did not come back')), 5_000);
  try {
    await logIn(usable, {
      server: 'upstream',
      signal: abort.signal,
      onLink: (link) => {
        void fetch(link.url).then(async (page) => {
          if (!page.ok) abort.abort(new Error(await page.text()));
        });
      },
    });
    // The gateway looks for the login every two seconds.
    for (let waited = 0; waited < 50 && needsLogin(); waited += 1) await pause(100);
    return true;
  } catch (error) {
    process.stderr.write(`login: ${String(error)}\n`);
    return false;
  } finally {
    clearTimeout(giveUp);
  }
}

/** Lists the tools until the server has answered; none if there is no way to log in. */
async function listTools(): Promise<readonly string[]> {
  let logins = 0;
  for (let asked = 0; asked < 100; asked += 1) {
    const { tools } = await client.listTools();
    if (tools.length > 0) return tools.map(({ name }) => name);
    if (needsLogin() && (logins++ >= 3 || !(await acceptLogin(manifest as NonNullable<typeof manifest>)))) return [];
    await pause(100);
  }
  return [];
}

/** Calls a tool, and again after each login that it needs. */
async function call(name: string): Promise<void> {
  for (let logins = 0; logins < 5; logins += 1) {
    const { _meta: meta } = await client.callTool({ name, arguments: {} });
    const failure = meta?.['dev.holdfast/error'] as { readonly code?: string } | undefined;
    if (failure?.code !== 'LOGIN_REQUIRED' || !(await acceptLogin(manifest as NonNullable<typeof manifest>))) return;
  }
}

for (const name of await listTools()) {
  await call(name);
  await call(name);
}
await client.close();
await gateway.close(0);
rmSync(folder, { recursive: true, force: true });
