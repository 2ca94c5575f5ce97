/**
 * Owns the processes of a fleet: Restate, PostgreSQL, HAProxy, two workers and a gateway, as a deployment has them, and the outage of each. Does not own when one is lost.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RestateServer, startRestateServer } from '@holdfast/durable/testing';
import { type PostgresServer, startPostgres } from '@holdfast/store-postgres/testing';
import { Program } from './program.ts';
import type { Tools } from './tools.ts';

/** A process that can be lost. `begin` is also right for one that has ended by itself. */
export interface Part {
  readonly name: string;
  readonly kind: 'worker' | 'gateway' | 'balancer' | 'restate' | 'postgres';
  kill(): Promise<void>;
  begin(): Promise<void>;
  stop(): void;
  resume(): void;
}

export interface Fleet {
  readonly url: string;
  readonly parts: readonly Part[];
  /** Resolves when everything works. Starts what has ended by itself, as a supervisor does. */
  ready(limitMs: number): Promise<void>;
  /** Starts what has ended by itself; called regularly. `away`: names of parts whose outage is not over. */
  supervise(away: ReadonlySet<string>): void;
  outputs(): string;
  close(): Promise<void>;
}

const haproxyPath = ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy'].find((path) => existsSync(path));
const cli = join(import.meta.dirname, '../../apps/cli/bin/holdfast.mjs');

const effects = { look: 'read', save: 'idempotent', pay: 'unsafe' } as const;

interface Ports {
  readonly balancer: number;
  readonly status: number;
  readonly gateway: number;
  readonly workers: readonly number[];
}

const manifestOf = (tools: Tools, restate: RestateServer, { balancer, gateway }: Ports): string =>
  JSON.stringify({
    version: 1,
    store: { postgres: { url: { env: 'CHAOS_DATABASE' } } },
    engine: { restate: { ingress: restate.ingressUrl, admin: restate.adminUrl, timeout_ms: 2_000 } },
    worker: { listen: { port: 0 }, url: `http://127.0.0.1:${balancer}` },
    shared_circuits: 'postgres',
    gateway: { listen: { port: gateway }, tool_lock: 'off' },
    tools: Object.entries(effects).map(([id, effect]) => ({
      id,
      effect,
      timeout_ms: 10_000,
      run: { http: { url: `${tools.url}/${id}`, method: 'POST' } },
    })),
  });

/** As in deploy/haproxy.cfg, with fixed addresses. */
const balancerOf = ({ balancer, status, workers }: Ports): string =>
  [
    'defaults',
    '  mode http',
    '  timeout connect 2s',
    '  timeout client 1h',
    '  timeout server 1h',
    '  option redispatch 1',
    '  retries 2',
    '  retry-on conn-failure',
    'frontend turns',
    `  bind 127.0.0.1:${balancer} proto h2`,
    '  default_backend workers',
    'frontend status',
    `  bind 127.0.0.1:${status}`,
    '  monitor-uri /healthz',
    'backend workers',
    '  default-server proto h2 check inter 1s fall 2 rise 1 on-marked-down shutdown-sessions',
    '  balance leastconn',
    '  option httpchk',
    '  http-check connect proto h2',
    '  http-check send meth GET uri /readyz ver HTTP/2 hdr Host worker',
    ...workers.map((port, index) => `  server worker-${index + 1} 127.0.0.1:${port}`),
    '',
  ].join('\n');

export async function startFleet(tools: Tools): Promise<Fleet> {
  if (haproxyPath === undefined) throw new Error('The chaos run needs HAProxy (Debian: apt-get install haproxy).');
  const [restate, postgres] = await Promise.all([startRestateServer({ keepAliveMs: 3_500 }), startPostgres()]);
  const [balancer = 0, status = 0, gateway = 0, ...workers] = await freePorts(5);
  const ports: Ports = { balancer, status, gateway, workers };
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-chaos-'));
  writeFileSync(join(folder, 'holdfast.json'), manifestOf(tools, restate, ports));
  writeFileSync(join(folder, 'haproxy.cfg'), balancerOf(ports));
  const environment = { CHAOS_DATABASE: postgres.url };
  const program = (command: string, args: readonly string[], health: number, path: string): Program =>
    new Program({ command, args, folder, environment, healthUrl: `http://127.0.0.1:${health}${path}` });
  const node = (args: readonly string[], port: number): Program =>
    program(process.execPath, [cli, ...args, '--log', 'json', '--port', String(port)], port, '/readyz');
  const programs = new Map<string, Program>([
    ['balancer', program(haproxyPath, ['-f', 'haproxy.cfg'], status, '/healthz')],
    ...workers.map((port, index): [string, Program] => [`worker-${index + 1}`, node(['worker', 'holdfast.json'], port)]),
    ['gateway', node(['serve', 'holdfast.json', '--engine', 'restate'], gateway)],
  ]);
  const parts: readonly Part[] = [...[...programs].map(([name, one]) => partOf(name, one)), restatePart(restate), postgresPart(postgres)];
  const supervise = (away: ReadonlySet<string>): void => {
    for (const [name, one] of programs) if (one.ended && !away.has(name)) one.begin();
  };
  return {
    url: `http://127.0.0.1:${gateway}`,
    parts,
    supervise,
    async ready(limitMs) {
      supervise(new Set());
      const restarting = setInterval(() => supervise(new Set()), 500);
      try {
        await Promise.all([...programs.values()].map((one) => one.ready(limitMs)));
      } finally {
        clearInterval(restarting);
      }
    },
    outputs: () => [...programs].map(([name, { output }]) => `--- ${name}\n${output}`).join('\n'),
    async close() {
      for (const one of programs.values()) one.signal('SIGCONT');
      await Promise.all([...programs.values()].map((one) => one.kill()));
      await Promise.all([restate.stop(), postgres.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const partOf = (name: string, program: Program): Part => ({
  name,
  kind: name.startsWith('worker') ? 'worker' : (name as 'gateway' | 'balancer'),
  kill: () => program.kill(),
  begin: async () => program.begin(),
  stop: () => program.signal('SIGSTOP'),
  resume: () => program.signal('SIGCONT'),
});

const restatePart = (restate: RestateServer): Part => ({
  name: 'restate',
  kind: 'restate',
  kill: () => restate.kill(),
  begin: () => restate.restart(),
  stop: () => restate.pids.forEach((pid) => process.kill(pid, 'SIGSTOP')),
  resume: () => restate.pids.forEach((pid) => process.kill(pid, 'SIGCONT')),
});

const postgresPart = (postgres: PostgresServer): Part => ({
  name: 'postgres',
  kind: 'postgres',
  kill: () => postgres.kill(),
  begin: () => postgres.restart(),
  stop: () => postgres.pause(),
  resume: () => postgres.resume(),
});

async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as { readonly port: number }).port);
  await Promise.all(
    servers.map(async (server) => {
      server.close();
      await once(server, 'close');
    }),
  );
  return ports;
}
