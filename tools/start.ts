/**
 * `npm start`: starts the services of the travel example and the gateway in front of them, runs the example's turn through it, and prints what to try next.
 * On a terminal the gateway keeps running until ctrl-C.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';

const root = join(import.meta.dirname, '..');
const holdfast = join('apps', 'cli', 'bin', 'holdfast.mjs');
const config = join('examples', 'travel', 'holdfast.yaml');
const usualPort = 7340;
const startLimitMs = 30_000;

const options = process.argv.slice(2);
const storeAt = options.indexOf('--store');
/** The gateway records the trace; everything else belongs to the turn. */
const storeOptions = storeAt === -1 ? [] : options.splice(storeAt, 2);

/** Lets readers of this terminal use the dashboard's actions. */
const operatorToken = process.env['HOLDFAST_OPERATOR_TOKEN'] ?? randomBytes(32).toString('base64url');

/** Programs of the example are started as `node`: make that this Node. */
const environment: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: [dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
  npm_command: process.env['npm_command'] ?? 'start',
  HOLDFAST_OPERATOR_TOKEN: operatorToken,
};

const startNode = (args: readonly string[], stdio: ('pipe' | 'inherit' | 'ignore')[], env = environment): ChildProcess =>
  spawn(process.execPath, args, { cwd: root, stdio, env });

/** Without the dashboard, the gateway prints how to build it. */
const ensureDashboard = async (): Promise<unknown> =>
  once(startNode([join('tools', 'ensure-dashboard.mjs')], ['ignore', 'inherit', 'inherit']), 'exit');

/** A started program, and how to stop it. */
interface Started {
  readonly url: string;
  readonly end: () => Promise<void>;
}

async function startWorld(): Promise<Started> {
  const world = startNode([join('examples', 'travel', 'world.mjs')], ['pipe', 'pipe', 'inherit']);
  const ended = once(world, 'exit');
  if (!world.stdout) throw new Error('The travel services have no output.');
  const [line] = (await Promise.race([once(createInterface(world.stdout), 'line'), ended.then(() => [])])) as readonly unknown[];
  if (typeof line !== 'string') throw new Error('The travel services did not start.');
  const { url } = JSON.parse(line) as { readonly url: string };
  return {
    url,
    end: async () => {
      world.stdin?.end();
      await ended;
    },
  };
}

async function startGateway(world: Started): Promise<Started> {
  const port = await freePort();
  const serve = [holdfast, 'serve', '--config', config, '--port', String(port), '--log', 'off', '--fresh', ...storeOptions];
  // On a terminal the gateway has it too, and so ends with it, even if this program is killed.
  const gateway = startNode(serve, ['inherit', 'inherit', 'inherit'], { ...environment, TRAVEL_URL: world.url });
  const ended = once(gateway, 'exit');
  const url = `http://127.0.0.1:${port}`;
  if (!(await Promise.race([isReady(url), ended.then(() => false)]))) throw new Error('The gateway did not start.');
  return {
    url,
    end: async () => {
      gateway.kill('SIGTERM');
      await ended;
    },
  };
}

/** The default port if it is free. */
async function freePort(): Promise<number> {
  for (const port of [usualPort, 0]) {
    const server = createServer().listen(port, '127.0.0.1');
    // `once` rejects when an error comes first: the port is taken.
    const bound = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!bound) continue;
    const { port: free } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    return free;
  }
  throw new Error('No port is free.');
}

async function isReady(url: string): Promise<boolean> {
  for (const end = Date.now() + startLimitMs; Date.now() < end; await wait(50)) {
    const response = await fetch(new URL('/readyz', url)).catch(() => undefined);
    if (response?.ok) return true;
  }
  return false;
}

async function runTurn({ url }: Started): Promise<number> {
  const command = [holdfast, 'run', join('examples', 'travel', 'turn.yaml'), '--gateway', url, ...options];
  const [exitCode]: readonly (number | null)[] = await once(startNode(command, ['inherit', 'inherit', 'inherit']), 'exit');
  return exitCode ?? 1;
}

function printNextSteps({ url }: Started): void {
  const more = ['trace', 'explain flight_search', 'tools', 'replay', `replay --policy ${join('examples', 'travel', 'hasty.yaml')}`];
  const place = ['--config', config, ...storeOptions].join(' ');
  console.error(`\n trace                ${storeOptions[1] ?? join(dirname(config), '.holdfast', 'trace.db')}`);
  console.error(` read it with         ${more.map((command) => `npx holdfast ${command} ${place}`).join('\n                      ')}`);
  console.error(` dashboard            ${url}/${process.stderr.isTTY ? `#token=${encodeURIComponent(operatorToken)}` : ''}`);
  console.error(` over HTTP            curl ${url}/v1/tools`);
  console.error(` from an MCP host     ${url}/mcp, or: npx holdfast mcp-config --config ${config}`);
}

// Both programs receive ctrl-C themselves; this one stays to clean up. It also does when its terminal is closed or it is told to end.
const interrupted = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
});
// A closed terminal cannot be written to.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
let exitCode = 1;
await ensureDashboard();
const world = await startWorld();
try {
  const gateway = await startGateway(world);
  try {
    exitCode = await runTurn(gateway);
    if (exitCode === 0) printNextSteps(gateway);
    if (exitCode === 0 && process.stdout.isTTY) {
      console.error('\n The gateway runs until ctrl-C.');
      await interrupted;
    }
  } finally {
    await gateway.end();
  }
} finally {
  await world.end();
}
process.exitCode = exitCode;
