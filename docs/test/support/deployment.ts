/**
 * Owns running the files of `deploy/` as processes of this machine: every service with the command, the environment and the files that compose.yaml gives it, under a
 * loopback address of its own in place of its name. Does not own building images.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startPostgres, type PostgresServer } from '@holdfast/store-postgres/testing';
import { parse } from 'yaml';
import { root } from '../pages.ts';
import { startNameServer, type NameServer } from './name-server.ts';

export const haproxy = ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy'].find((path) => existsSync(path));

const folder = join(root, 'deploy');

interface Service {
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
}

interface Secrets {
  readonly POSTGRES_PASSWORD: string;
  readonly HOLDFAST_TOKEN: string;
}

export class Deployment {
  readonly gatewayUrl: string;
  readonly token = 'deployment-token-of-a-test-0123456789';
  readonly #services: Readonly<Record<string, Service>>;
  readonly #place: string;
  readonly #net: string;
  readonly #processes = new Map<string, ChildProcess>();
  readonly #output = new Map<string, string>();
  readonly #toolUrl: string;
  #names: NameServer | undefined;
  #postgres: PostgresServer | undefined;

  /** `toolUrl`: in place of the example tool's address. */
  constructor(toolUrl: string) {
    const { services } = parse(readFileSync(join(folder, 'compose.yaml'), 'utf8'), { merge: true }) as {
      readonly services: Readonly<Record<string, Service>>;
    };
    this.#services = services;
    this.#toolUrl = toolUrl;
    this.#place = mkdtempSync(join(tmpdir(), 'holdfast-deploy-'));
    // Runs at the same time have different networks.
    this.#net = `127.${2 + (process.pid % 250)}.${1 + Math.floor(Math.random() * 250)}`;
    this.gatewayUrl = `http://${this.#addressOf('gateway')}:7340`;
  }

  async start(): Promise<void> {
    this.#postgres = await startPostgres();
    await this.#createDatabase(this.#postgres.url);
    this.#names = await startNameServer((name) => this.#addressesOf(name));
    for (const name of ['restate-1', 'restate-2', 'restate-3']) this.startService(name);
    this.startService('balancer');
    for (const name of ['worker-1', 'worker-2', 'gateway']) this.startService(name);
    await this.until(`${this.gatewayUrl}/readyz`, 'the gateway is ready');
    for (const name of ['worker-1', 'worker-2']) await this.until(`http://${this.#addressOf(name)}:9080/readyz`, `${name} is ready`);
  }

  /** A replica is `worker-1`, `worker-2`. */
  startService(name: string): void {
    const service = this.#services[name.replace(/^worker-\d+$/, 'worker')];
    if (!service) throw new Error(`compose.yaml has no service ${name}`);
    const home = join(this.#place, name);
    mkdirSync(home, { recursive: true });
    const files = new Map<string, string>();
    for (const volume of service.volumes ?? []) {
      const [source = '', target = ''] = volume.split(':');
      if (!source.startsWith('./')) continue;
      const copy = join(home, basename(source));
      writeFileSync(copy, this.#onLoopback(readFileSync(join(folder, source), 'utf8'), name));
      files.set(target, copy);
    }
    const given = (service.command ?? []).map((part) => files.get(part) ?? part);
    const environment = Object.entries(service.environment ?? {}).map(([key, value]) => [key, this.#onLoopback(this.#secret(value), name)]);
    const [program, ...fixed] = this.#programOf(name, files);
    const env = { ...process.env, ...Object.fromEntries(environment), RESTATE_BASE_DIR: home, RESTATE_BIND_IP: this.#addressOf(name) };
    const child = spawn(program, [...fixed, ...given], { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const keep = (data: Buffer): void => void this.#output.set(name, `${this.#output.get(name) ?? ''}${data.toString()}`.slice(-4_000));
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    this.#processes.set(name, child);
  }

  signal(name: string, signal: NodeJS.Signals): void {
    this.#processes.get(name)?.kill(signal);
  }

  async until(url: string, what: string, limitMs = 90_000): Promise<void> {
    const end = performance.now() + limitMs;
    for (;;) {
      const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
      if (answer?.ok === true) return;
      if (performance.now() > end) throw new Error(`Gave up waiting until ${what}.\n${this.#report()}`);
      await wait(100);
    }
  }

  async stop(): Promise<void> {
    const children = [...this.#processes.values()].filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    const ended = children.map((child) => once(child, 'exit'));
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(ended);
    await this.#names?.stop();
    await this.#postgres?.stop();
    rmSync(this.#place, { recursive: true, force: true });
  }

  #report(): string {
    return [...this.#output].map(([name, text]) => `--- ${name}\n${text}`).join('\n');
  }

  /** What an image runs before the command. */
  #programOf(name: string, files: ReadonlyMap<string, string>): readonly [string, ...string[]] {
    if (name.startsWith('restate')) return [restateProgram()];
    if (name === 'balancer') return [haproxy ?? 'haproxy', '-f', files.get('/usr/local/etc/haproxy/haproxy.cfg') ?? ''];
    const entry = /^ENTRYPOINT (.*)$/m.exec(readFileSync(join(folder, 'Dockerfile'), 'utf8'))?.[1];
    if (entry !== '["holdfast"]') throw new Error(`The Dockerfile starts ${String(entry)}`);
    return [process.execPath, join(root, 'apps/cli/bin/holdfast.mjs')];
  }

  #addressOf(name: string): string {
    const index = ['gateway', 'balancer', 'restate-1', 'restate-2', 'restate-3', 'worker-1', 'worker-2'].indexOf(name);
    return `${this.#net}.${10 + index}`;
  }

  #addressesOf(name: string): readonly string[] {
    if (name === 'worker') return [this.#addressOf('worker-1'), this.#addressOf('worker-2')];
    return Object.hasOwn(this.#services, name) ? [this.#addressOf(name)] : [];
  }

  #secret(text: string): string {
    const secrets: Secrets = { POSTGRES_PASSWORD: 'a-password', HOLDFAST_TOKEN: this.token };
    return text.replace(/\$\{(\w+):\?[^}]*\}/g, (_all, name: keyof Secrets) => secrets[name]);
  }

  /** Everything that is reached by a name in a container network is reached by an address here. */
  #onLoopback(text: string, name: string): string {
    const port = new URL(this.#postgres?.url ?? '').port;
    return text
      .replaceAll('holdfast@postgres/', `holdfast@127.0.0.1:${port}/`)
      .replace(/http:\/\/(restate-\d|balancer):/g, (_all, service: string) => `http://${this.#addressOf(service)}:`)
      .replaceAll('host: 0.0.0.0', `host: ${this.#addressOf(name)}`)
      .replace(/^ {2}bind :/gm, `  bind ${this.#addressOf(name)}:`)
      .replace('nameserver dns 127.0.0.11:53', `nameserver dns 127.0.0.1:${this.#names?.port ?? 0}`)
      .replace(/https:\/\/api\.open-meteo\.com\/v1\/forecast/g, this.#toolUrl);
  }

  async #createDatabase(url: string): Promise<void> {
    const { Client } = createRequire(join(root, 'packages/stores/postgres/package.json'))('pg') as {
      readonly Client: new (options: object) => { connect(): Promise<void>; query(text: string): Promise<unknown>; end(): Promise<void> };
    };
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query("CREATE ROLE holdfast LOGIN PASSWORD 'a-password'");
    await client.query('CREATE DATABASE holdfast OWNER holdfast');
    await client.end();
  }
}

function restateProgram(): string {
  const fromDurable = createRequire(join(root, 'packages/durable/package.json'));
  const fromServer = createRequire(fromDurable.resolve('@restatedev/restate-server/package.json'));
  return fromServer.resolve(`@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`);
}
