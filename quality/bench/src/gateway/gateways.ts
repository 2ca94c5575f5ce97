/** Owns the gateways between the client and the server: how each is started, with which settings, and how the client connects to it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { httpClient, sseClient, stdioClient, type EchoClient } from './clients.ts';

/** The path of a call: the server's transport, then the client's. */
export type Route = 'stdio → stdio' | 'stdio → HTTP' | 'HTTP → stdio' | 'HTTP → HTTP';

export interface Gateway {
  readonly name: string;
  readonly configuration: string;
  readonly routes: readonly Route[];
  start(route: Route, environment: Environment): Promise<RunningGateway>;
}

interface Environment {
  /** Folder for the files of this run. */
  readonly folder: string;
  /** URL of the minimal server over HTTP. */
  readonly leanUrl: string;
  /** Runs Holdfast's sources instead of the installed version. */
  readonly sources: boolean;
}

export interface RunningGateway {
  readonly client: EchoClient;
  /** Resident memory of the gateway process, without the server; `undefined` without a gateway. */
  residentMb(): number | undefined;
  stop(): Promise<void>;
}

const require = createRequire(import.meta.url);
const lean = [process.execPath, '--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'lean.ts')] as const;

const bin = (name: string): string => {
  const path = packageOf(name);
  const { bin: programs } = JSON.parse(readFileSync(path, 'utf8')) as { bin: string | Record<string, string> };
  return join(dirname(path), typeof programs === 'string' ? programs : (programs[name] ?? ''));
};

function packageOf(name: string): string {
  const found = (require.resolve.paths(name) ?? []).map((folder) => join(folder, name, 'package.json')).find((path) => readable(path));
  if (found === undefined) throw new Error(`${name} is not installed.`);
  return found;
}

function readable(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false;
  }
}

function start(words: readonly string[], cwd: string): ChildProcess {
  return spawn(words[0] ?? '', words.slice(1), { stdio: ['pipe', 'pipe', 'ignore'], cwd });
}

export async function startLeanHttp(folder: string): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const child = start([...lean, 'http'], folder);
  const url = await new Promise<string>((resolve) => {
    child.stdout?.once('data', (chunk: Buffer) => {
      resolve(chunk.toString('utf8').trim());
    });
  });
  return { url, child };
}

const residentMb = (child: ChildProcess): number => {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
};

async function untilEnded(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('close', resolve));
  const killer = setTimeout(() => child.kill('SIGKILL'), 5_000);
  child.kill('SIGTERM');
  await gone;
  clearTimeout(killer);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Connects to a program over its pipes. */
async function overPipes(words: readonly string[], cwd: string, measured = true): Promise<RunningGateway> {
  const child = start(words, cwd);
  if (!child.stdin || !child.stdout) throw new Error('The program has no pipes.');
  const client = await stdioClient(child.stdin, child.stdout);
  return {
    client,
    residentMb: () => (measured ? residentMb(child) : undefined),
    async stop() {
      client.close();
      await untilEnded(child);
    },
  };
}

/** Starts a program that listens, and connects as soon as it accepts connections. */
async function overNetwork(words: readonly string[], cwd: string, speak: () => Promise<EchoClient>): Promise<RunningGateway> {
  const child = start(words, cwd);
  child.stdout?.resume();
  const client = await retryConnect(speak);
  return {
    client,
    residentMb: () => residentMb(child),
    async stop() {
      client.close();
      await untilEnded(child);
    },
  };
}

async function withTimeout<Value>(work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error('No answer in time.'));
    }, 10_000);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function retryConnect(speak: () => Promise<EchoClient>): Promise<EchoClient> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await withTimeout(speak());
    } catch (error) {
      if (tries > 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

const fromStdio = (route: Route): boolean => route.startsWith('stdio');
const toStdio = (route: Route): boolean => route.endsWith('stdio');

const direct: Gateway = {
  name: 'direct',
  configuration: 'no gateway',
  routes: ['stdio → stdio', 'stdio → HTTP', 'HTTP → stdio', 'HTTP → HTTP'],
  // The client has to use the server's transport.
  start: async (route, { folder, leanUrl }) =>
    fromStdio(route)
      ? await overPipes([...lean, 'stdio'], folder, false)
      : { client: await httpClient(leanUrl), residentMb: () => undefined, stop: async () => {} },
};

const holdfast: Gateway = {
  name: 'Holdfast',
  configuration:
    '`holdfast serve` with its defaults: argument check, retry, breaker, deadline, classification, a log line per call, and the trace of every call in SQLite',
  routes: ['stdio → stdio', 'stdio → HTTP', 'HTTP → stdio', 'HTTP → HTTP'],
  async start(route, { folder, leanUrl, sources }) {
    const server = fromStdio(route) ? { command: lean[0], args: [...lean.slice(1), 'stdio'] } : { url: leanUrl };
    const path = join(folder, `holdfast-${route.replaceAll(/\W+/g, '-')}.yaml`);
    const store = { path: `${path}.db` };
    writeFileSync(path, JSON.stringify({ store, mcp_servers: { lean: { ...server, prefix: '' } }, gateway: { reload: false } }));
    const program = sources ? join(dirname(packageOf('holdfast')), 'bin/holdfast.mjs') : join(import.meta.dirname, 'installed.mjs');
    const words = [process.execPath, program, 'serve', '--config', path];
    if (toStdio(route)) return await overPipes([...words, '--stdio'], folder);
    const port = await freePort();
    return await overNetwork([...words, '--port', String(port)], folder, async () => await httpClient(`http://127.0.0.1:${port}/mcp`));
  },
};

const mcpProxy: Gateway = {
  name: 'mcp-proxy 6.7.19',
  configuration: '`mcp-proxy --server stream`, without its store of events',
  routes: ['stdio → HTTP'],
  async start(_route, { folder }) {
    const port = await freePort();
    const words = [
      process.execPath,
      bin('mcp-proxy'),
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      '--server',
      'stream',
      '--no-eventStore',
      '--',
      ...lean,
      'stdio',
    ];
    return await overNetwork(words, folder, async () => await httpClient(`http://127.0.0.1:${port}/mcp`));
  },
};

const supergateway: Gateway = {
  name: 'supergateway 4.0.0',
  configuration: '`supergateway --stateful --logLevel none`; for stdio clients with `--streamableHttp`',
  routes: ['stdio → HTTP', 'HTTP → stdio'],
  async start(route, { folder, leanUrl }) {
    const words = [process.execPath, bin('supergateway'), '--logLevel', 'none'];
    if (toStdio(route)) return await overPipes([...words, '--streamableHttp', leanUrl], folder);
    const port = await freePort();
    const all = [
      ...words,
      '--stdio',
      [...lean, 'stdio'].join(' '),
      '--outputTransport',
      'streamableHttp',
      '--stateful',
      '--port',
      String(port),
    ];
    return await overNetwork(all, folder, async () => await httpClient(`http://127.0.0.1:${port}/mcp`));
  },
};

const mcpHub: Gateway = {
  name: 'mcp-hub 4.2.1',
  configuration: '`mcp-hub --config`; clients connect over the older HTTP+SSE transport',
  routes: ['stdio → HTTP'],
  async start(_route, { folder }) {
    const port = await freePort();
    const path = join(folder, 'mcp-hub.json');
    writeFileSync(path, JSON.stringify({ mcpServers: { lean: { command: lean[0], args: [...lean.slice(1), 'stdio'] } } }));
    const words = [process.execPath, bin('mcp-hub'), '--port', String(port), '--config', path];
    return await overNetwork(words, folder, async () => await sseClient(`http://127.0.0.1:${port}/mcp`));
  },
};

const mcpRemote: Gateway = {
  name: 'mcp-remote 0.15.1',
  configuration: '`mcp-remote <url> --allow-http --transport http-only`',
  routes: ['HTTP → stdio'],
  start: async (_route, { folder, leanUrl }) =>
    await overPipes([process.execPath, bin('mcp-remote'), leanUrl, '--allow-http', '--transport', 'http-only'], folder),
};

export const gateways: readonly Gateway[] = [direct, holdfast, mcpProxy, supergateway, mcpHub, mcpRemote];
