/**
 * Owns a real PostgreSQL server for tests: in a temporary folder, on a free port of the loopback address, with a password, and removed with the process.
 */
import { randomUUID } from 'node:crypto';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkOptions, mapOf } from '@holdfast/core/internal/plain';
import { Client } from 'pg';
import { clusterOwner, clusterTemplate, postgresPrograms } from './programs.ts';
import { removeSharedMemory, startProcess, type ServerProcess } from './server-process.ts';

const run = promisify(execFile);

/** Settings of a PostgreSQL server for tests. */
export interface PostgresServerOptions {
  /** The server's own settings, such as `{ max_connections: '20' }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Where its temporary folder is created. @default the system's temporary folder */
  readonly parent?: string;
}

/** A running PostgreSQL server for tests. */
export interface PostgresServer {
  /** The superuser's address of the database `postgres`. */
  readonly url: string;
  /** Port on the loopback address. It stays the same after `restart()`. */
  readonly port: number;
  /** Its temporary folder. */
  readonly folder: string;
  /** Creates an empty database and resolves to the superuser's address of it. */
  createDatabase(): Promise<string>;
  /** Kills all its processes as a crash of the machine would; `restart()` brings it back. */
  kill(): Promise<void>;
  /** Suspends all its processes: connections stay open, but nothing answers. */
  pause(): void;
  /** Continues all its processes after `pause()`. */
  resume(): void;
  /** Ends it if it runs, and starts it again on the same port. */
  restart(): Promise<void>;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

/** Starts an installed PostgreSQL. Rejects if there is none, or if it does not start. */
export async function startPostgres(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  checkOptions({ settings: mapOf('string', 'an object of strings'), parent: 'string' }, options, 'startPostgres');
  return start(options);
}

async function start(options: PostgresServerOptions): Promise<PostgresServer> {
  const bin = postgresPrograms();
  const owner = await clusterOwner();
  const template = await clusterTemplate(bin, owner, tmpdir());
  const folder = await mkdtemp(join(options.parent ?? tmpdir(), 'holdfast-postgres-'));
  if (owner) await chown(folder, owner.uid, owner.gid);
  await chmod(folder, 0o700);
  const data = join(folder, 'data');
  await run('cp', ['-a', template.data, data]);
  const port = await freePort();
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port: String(port),
    max_connections: '50',
    shared_buffers: '32MB',
    // In the folder, so that a killed server leaves nothing behind elsewhere.
    dynamic_shared_memory_type: 'mmap',
    ...options.settings,
  };
  const start = (): Promise<ServerProcess> => startProcess(bin, data, settings, owner);
  let server = await start();
  const url = (database: string): string => `postgresql://postgres:${template.password}@127.0.0.1:${String(port)}/${database}`;
  const onExit = (): void => {
    server.killNow();
    removeSharedMemory(data);
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', onExit);

  return {
    url: url('postgres'),
    port,
    folder,
    async createDatabase() {
      const name = `test_${randomUUID().replaceAll('-', '')}`;
      const client = new Client({ connectionString: url('postgres') });
      await client.connect();
      try {
        await client.query(`CREATE DATABASE ${name}`);
      } finally {
        await client.end();
      }
      return url(name);
    },
    kill: () => server.end('SIGKILL'),
    pause: () => server.signalAll('SIGSTOP'),
    resume: () => server.signalAll('SIGCONT'),
    async restart() {
      server.signalAll('SIGCONT');
      await server.end('SIGINT');
      server = await start();
    },
    async stop() {
      process.off('exit', onExit);
      server.signalAll('SIGCONT');
      await server.end('SIGQUIT');
      removeSharedMemory(data);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
