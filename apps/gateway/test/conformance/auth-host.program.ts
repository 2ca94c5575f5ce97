/**
 * A program: a gateway in front of the server whose URL is its last argument, a person who logs in where the gateway says so, and a host that calls every tool twice.
 * The suite's authorization servers check the gateway as their client. The environment names the scenario and holds the credentials that it has assigned.
 */
import { randomBytes } from 'node:crypto';
import { createUpstreamAuth } from '../../src/upstream-auth/upstream-auth.ts';
import { connectHttp } from '../fixtures/client/http-client.ts';
import type { JsonObject, RawClient } from '../fixtures/client/raw-client.ts';
import { type ManifestWords, readWords, startGateway, writeWords } from '../fixtures/gateway.ts';
import { inFrontOf, urlServer } from '../fixtures/manifests.ts';

const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const era = process.env['MCP_CONFORMANCE_PROTOCOL_VERSION'] === '2026-07-28' ? 'modern' : 'legacy';
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Readonly<Record<string, string>>;
process.env['HOLDFAST_CREDENTIALS_KEY'] = randomBytes(32).toString('base64');

/** Secrets are in the environment, as in a real manifest. */
function secret(name: string): { readonly env: string } | undefined {
  if (context[name] === undefined) return undefined;
  process.env[`CONFORMANCE_${name.toUpperCase()}`] = context[name];
  return { env: `CONFORMANCE_${name.toUpperCase()}` };
}

function settings(): ManifestWords {
  const common = { client_id: context['client_id'], client_secret: secret('client_secret') };
  switch (scenario) {
    case 'auth/client-credentials-jwt':
      return { type: 'client_credentials', ...common, private_key: secret('private_key_pem'), algorithm: context['signing_algorithm'] };
    case 'auth/client-credentials-basic':
      return { type: 'client_credentials', ...common };
    case 'auth/wif-jwt-bearer':
      return { type: 'client_credentials', ...common, assertion: secret('valid_jwt') };
    case 'auth/enterprise-managed-authorization': {
      const provider = { issuer: context['idp_issuer'], client_id: context['idp_client_id'] };
      return {
        type: 'token_exchange',
        ...common,
        subject_token: secret('idp_id_token'),
        subject_token_type: 'id_token',
        identity_provider: provider,
      };
    }
    default:
      return { type: 'oauth', ...common, client_metadata_url: 'https://conformance-test.local/client-metadata.json' };
  }
}

const words = inFrontOf(urlServer(process.argv.at(-1) ?? '', { protocol: era, auth: settings() }));
const manifestPath = await writeWords(words);
const gateway = await startGateway(words, { manifestPath });
const client = await connectHttp(gateway.url, { era, answer: () => ({ action: 'decline' }) });
const redirectUri = 'http://127.0.0.1:7341/oauth/callback';

/** As `holdfast login` in another process, with a browser in which the person accepts at once. */
async function logIn(): Promise<boolean> {
  const manifest = readWords(words, manifestPath);
  const auth = createUpstreamAuth(manifest);
  const entry = manifest.mcpServers['upstream'];
  try {
    if (entry === undefined) throw new Error('there is no server');
    const { url } = await auth.begin('upstream', entry, '', redirectUri);
    const answer = await fetch(url, { redirect: 'manual' });
    await auth.complete(new URL(answer.headers.get('location') ?? '', url), () => entry);
    // The gateway looks for the login every two seconds.
    for (let waited = 0; waited < 50 && needsLogin(); waited += 1) await pause(100);
    return true;
  } catch (error) {
    process.stderr.write(`login: ${String(error)}\n`);
    return false;
  } finally {
    await auth.close();
  }
}

const needsLogin = (): boolean => gateway.gateway.upstreams().some(({ loginRequired }) => loginRequired !== undefined);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Lists the tools until the server has answered; `undefined` if nobody can log in. */
async function listTools(from: RawClient): Promise<readonly string[] | undefined> {
  let logins = 0;
  for (let asked = 0; asked < 100; asked += 1) {
    const listed = await from.request('tools/list').catch(() => ({}) as JsonObject);
    const tools = (listed['tools'] ?? []) as readonly { readonly name: string }[];
    if (tools.length > 0) return tools.map(({ name }) => name);
    if (needsLogin() && (logins++ >= 3 || !(await logIn()))) return undefined;
    await pause(100);
  }
  return undefined;
}

interface Answer {
  readonly _meta?: { readonly 'dev.holdfast/error'?: { readonly code?: string } };
  readonly content?: unknown;
}

/** Calls a tool, and again after each login that it needs. */
async function call(name: string): Promise<void> {
  for (let logins = 0; logins < 5; logins += 1) {
    const answer = (await client.request('tools/call', { name, arguments: {} })) as Answer;
    const code = answer._meta?.['dev.holdfast/error']?.code;
    process.stderr.write(`${name}: ${code ?? 'ok'} ${JSON.stringify(answer.content)}\n`);
    if (code !== 'LOGIN_REQUIRED' || !(await logIn())) return;
  }
}

for (const name of (await listTools(client)) ?? []) {
  await call(name);
  await call(name);
}
for (const fault of gateway.faults) process.stderr.write(`gateway: ${fault}\n`);
await client[Symbol.asyncDispose]();
await gateway[Symbol.asyncDispose]();
