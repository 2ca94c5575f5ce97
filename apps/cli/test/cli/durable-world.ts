/** A fleet for one test file: a Restate server, a PostgreSQL server, workers behind a load balancer, and a gateway, each in a separate process. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { type RestateServer, startRestateServer, startTcpBalancer, type TcpBalancer } from '@holdfast/durable/testing';
import { type PostgresServer, startPostgres } from '@holdfast/store-postgres/testing';
import type { TraceEvent } from '@holdfast/core';
import { Folder, lines, type Started } from './program.ts';

const toolModule = `
import { appendFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
const note = (name) => appendFileSync(process.env.NOTES, process.pid + ' ' + name + '\\n');
export const quick = ({ name = 'quick' }) => { note(name); return { by: name }; };
export const slow = async ({ ms, name = 'slow' }, { signal }) => { note(name); await wait(ms, undefined, { signal }); return { by: name }; };
export const refuse = () => { throw Object.assign(new Error('no such thing'), { status: 404 }); };
`;

const manifestOf = (restate: RestateServer, workers: string): string =>
  JSON.stringify({
    store: { postgres: { url: { env: 'TRACE_DATABASE' } } },
    engine: { restate: { ingress: restate.ingressUrl, admin: restate.adminUrl, timeout_ms: 2_000 } },
    worker: { listen: { port: 0 }, url: workers },
    shared_circuits: 'restate',
    gateway: { listen: { port: 0 }, tool_lock: 'off' },
    capture: 'all',
    tools: ['quick', 'slow', 'refuse'].map((name) => ({ id: name, run: { module: './tools.mjs', export: name }, effect: 'read' })),
  });

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

export class DurableWorld {
  readonly folder: Folder = new Folder();
  readonly restate: RestateServer;
  readonly postgres: PostgresServer;
  readonly balancer: TcpBalancer;
  readonly #started: Started[] = [];
  readonly #ports = new Map<Started, number>();
  url = '';

  constructor(restate: RestateServer, postgres: PostgresServer, balancer: TcpBalancer) {
    this.restate = restate;
    this.postgres = postgres;
    this.balancer = balancer;
    this.folder.write({ 'holdfast.json': manifestOf(restate, balancer.url), 'tools.mjs': toolModule, notes: '' });
  }

  static async start(): Promise<DurableWorld> {
    const [restate, postgres, balancer] = await Promise.all([startRestateServer(), startPostgres(), startTcpBalancer()]);
    return new DurableWorld(restate, postgres, balancer);
  }

  get environment(): Readonly<Record<string, string>> {
    return { TRACE_DATABASE: this.postgres.url, NOTES: this.folder.at('notes') };
  }

  program(...args: readonly string[]): Started {
    const started = this.folder.start(args, { env: this.environment });
    this.#started.push(started);
    return started;
  }

  /** Adds a worker. The first one registers the load balancer with the engine. */
  async worker(): Promise<Started> {
    const port = await freePort();
    const started = this.program('worker', '--log', 'json', '--port', String(port), ...(this.#ports.size === 0 ? [] : ['--no-register']));
    this.#ports.set(started, port);
    this.balancer.use([...this.#ports.values()]);
    await started.printed('"event":"ready"');
    return started;
  }

  workers(): readonly Started[] {
    return [...this.#ports.keys()];
  }

  leave(worker: Started): void {
    this.#ports.delete(worker);
    this.balancer.use([...this.#ports.values()]);
  }

  async gateway(...args: readonly string[]): Promise<Started> {
    const started = this.program('serve', '--log', 'json', ...args);
    let stderr = '';
    started.child.stderr?.on('data', (text: string) => (stderr += text));
    await started.printed('"event":"ready"');
    this.url = /"url":"([^"]+)"/.exec(stderr)?.[1] ?? '';
    return started;
  }

  async post(path: string, body?: unknown): Promise<Answer> {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(this.url + path, {
      method: 'POST',
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  }

  async get(path: string): Promise<Answer> {
    const response = await fetch(this.url + path);
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  }

  /** The live event stream of a turn, until it ends. */
  async *events(turnId: string): AsyncGenerator<TraceEvent> {
    const { body } = await fetch(`${this.url}/v1/turns/${turnId}/events`, { headers: { accept: 'application/x-ndjson' } });
    let rest = '';
    for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const whole = (rest + text).split('\n');
      rest = whole.pop() ?? '';
      for (const event of lines(whole.join('\n'))) if ('event_type' in event) yield event as unknown as TraceEvent;
    }
  }

  async stop(): Promise<void> {
    for (const { child } of this.#started) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await Promise.all(this.#started.map(({ ended }) => ended));
    await Promise.all([this.restate.stop(), this.postgres.stop(), this.balancer.stop()]);
    this.folder.remove();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
