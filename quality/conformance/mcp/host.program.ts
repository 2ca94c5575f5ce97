/**
 * A program: for every scenario of the suite a gateway in front of its server, a person who logs in where the gateway says so, and a client that calls every tool
 * twice. The suite's authorization servers check the gateway as their client. One process serves all scenarios, since a start takes longer than most of them: the
 * suite starts `ask-host.program.ts`, which sends what it was given.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createGateway, type Gateway, logIn } from '@holdfast/gateway';
import { type Manifest, parseManifest } from '@holdfast/manifest';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { ended, type Question } from './question.ts';

process.env['HOLDFAST_CREDENTIALS_KEY'] = randomBytes(32).toString('base64');

let secrets = 0;

/** Secrets are in the environment, as in a real manifest; each scenario has its own. */
function secret(value: string | undefined): { readonly env: string } | undefined {
  if (value === undefined) return undefined;
  const env = `CONFORMANCE_${++secrets}`;
  process.env[env] = value;
  return { env };
}

function settings({ scenario, context }: Question, redirectUrl: string): unknown {
  const own = { client_id: context['client_id'], client_secret: secret(context['client_secret']) };
  switch (scenario) {
    case 'auth/client-credentials-basic':
      return { type: 'client_credentials', ...own };
    case 'auth/client-credentials-jwt':
      return {
        type: 'client_credentials',
        ...own,
        private_key: secret(context['private_key_pem']),
        algorithm: context['signing_algorithm'],
      };
    case 'auth/wif-jwt-bearer':
      return { type: 'client_credentials', ...own, assertion: secret(context['valid_jwt']) };
    case 'auth/enterprise-managed-authorization': {
      const provider = { issuer: context['idp_issuer'], client_id: context['idp_client_id'] };
      const subject = { subject_token: secret(context['idp_id_token']), subject_token_type: 'id_token' };
      return { type: 'token_exchange', ...own, ...subject, identity_provider: provider };
    }
    default: {
      const document = 'https://conformance-test.local/client-metadata.json';
      return { type: 'oauth', ...own, client_metadata_url: document, redirect_url: redirectUrl };
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Stage {
  readonly manifest: Manifest;
  readonly gateway: Gateway;
  readonly client: Client;
  readonly say: (line: string) => void;
}

const needsLogin = ({ gateway }: Stage): boolean => gateway.upstreams().some(({ loginRequired }) => loginRequired !== undefined);

/** As `holdfast login`, with a browser in which the person accepts at once. Resolves to whether there is a login. */
async function acceptLogin(stage: Stage): Promise<boolean> {
  const abort = new AbortController();
  const giveUp = setTimeout(() => abort.abort(new Error('the browser did not come back')), 5_000);
  try {
    await logIn(stage.manifest, {
      server: 'upstream',
      signal: abort.signal,
      onLink: (link) => {
        void fetch(link.url).then(async (page) => {
          if (!page.ok) abort.abort(new Error(await page.text()));
        });
      },
    });
    // The gateway looks for the login every two seconds.
    for (let waited = 0; waited < 50 && needsLogin(stage); waited += 1) await pause(100);
    return true;
  } catch (error) {
    stage.say(`login: ${String(error)}`);
    return false;
  } finally {
    clearTimeout(giveUp);
  }
}

/** Lists the tools until the server has answered; none if there is no way to log in. */
async function listTools(stage: Stage): Promise<readonly string[]> {
  let logins = 0;
  for (let asked = 0; asked < 100; asked += 1) {
    const { tools } = await stage.client.listTools();
    if (tools.length > 0) return tools.map(({ name }) => name);
    if (needsLogin(stage) && (logins++ >= 3 || !(await acceptLogin(stage)))) return [];
    await pause(100);
  }
  return [];
}

/** Calls a tool, and again after each login that it needs. */
async function call(stage: Stage, name: string): Promise<void> {
  for (let logins = 0; logins < 5; logins += 1) {
    const { _meta: meta } = await stage.client.callTool({ name, arguments: {} });
    const failure = meta?.['dev.holdfast/error'] as { readonly code?: string } | undefined;
    if (failure?.code !== 'LOGIN_REQUIRED' || !(await acceptLogin(stage))) return;
  }
}

async function play(question: Question, say: Stage['say']): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-host-'));
  const { url: address, protocol } = question;
  const server = { url: address, protocol, prefix: '', auth: settings(question, `http://127.0.0.1:${await freePort()}/callback`) };
  const { manifest, problems } = parseManifest(JSON.stringify({ mcp_servers: { upstream: server }, gateway: { reload: false } }), {
    file: join(folder, 'holdfast.yaml'),
  });
  if (manifest === undefined) throw new Error(JSON.stringify(problems));
  const gateway = await createGateway(manifest, { log: 'off', onFault: (fault) => say(`gateway: ${fault}`) });
  try {
    const { url } = await gateway.listen({ host: '127.0.0.1', port: 0 });
    const client = new Client({ name: 'host', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
    const stage: Stage = { manifest, gateway, client, say };
    for (const name of await listTools(stage)) {
      await call(stage, name);
      await call(stage, name);
    }
    await client.close();
  } finally {
    await gateway.close(0);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function answer(socket: Socket): Promise<void> {
  const say = (line: string): void => void socket.write(`${line}\n`);
  try {
    await play(JSON.parse(await text(socket)) as Question, say);
    say(ended);
  } catch (error) {
    say(`host: ${String(error)}`);
  }
  socket.end();
}

const server = createServer({ allowHalfOpen: true }, (socket) => void answer(socket)).listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
// It lasts as long as the process that started it.
process.stdin.resume().once('end', () => process.exit());
