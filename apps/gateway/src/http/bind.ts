/**
 * Owns binding a server to its address.
 *
 * Invariants
 * 1. The file of a Unix socket without a listener is replaced; one with a listener is not. Only the owner of the file may connect.
 */
import { existsSync } from 'node:fs';
import { chmod, unlink } from 'node:fs/promises';
import { type AddressInfo, connect, type Server } from 'node:net';
import { dirname } from 'node:path';
import type { ListenAddress } from './options.ts';

export interface Bound {
  readonly url: string;
  readonly port: number | undefined;
}

export async function bind(server: Server, listen: ListenAddress): Promise<Bound> {
  if ('path' in listen) {
    await bindPath(server, listen.path);
    return { url: `unix:${listen.path}`, port: undefined };
  }
  const host = listen.host.replace(/^\[(.*)\]$/, '$1');
  await startListening(server, () => server.listen(listen.port, host)).catch((error: unknown) => {
    throw explained(error, host, listen.port);
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`, port };
}

/** Adds what to do. */
function explained(error: unknown, host: string, port: number): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  const hints: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} of ${host} is in use, by another gateway or another program. Stop that one, or choose another port with --port or gateway.listen.port; 0 is any free port`,
    EACCES: `port ${port} may not be used by this user: choose one above 1023 with --port or gateway.listen.port`,
    ENOTFOUND: unknownHost(host),
    EAI_AGAIN: unknownHost(host),
    EADDRNOTAVAIL: `${host} is no address of this machine: set gateway.listen.host, such as 127.0.0.1 or 0.0.0.0`,
  };
  return Object.assign(new Error(hints[code ?? ''] ?? message, { cause: error }), { code });
}

const unknownHost = (host: string): string => `the name ${host} has no address: set gateway.listen.host, such as 127.0.0.1 or 0.0.0.0`;

async function bindPath(server: Server, path: string): Promise<void> {
  const listen = (): Promise<void> => startListening(server, () => server.listen(path));
  await listen()
    .catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE' || (await isInUse(path))) throw error;
      await unlink(path);
      await listen();
    })
    .catch((error: unknown) => {
      throw explainedPath(error, path);
    });
  await chmod(path, 0o600);
}

/** Systems allow about a hundred bytes. */
const maxPathBytes = 103;

function explainedPath(error: unknown, path: string): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  const folder = dirname(path);
  const why = (): string => {
    if (code === 'EADDRINUSE')
      return `another gateway or another program listens on ${path}. Stop that one, or choose another gateway.listen.path`;
    if (Buffer.byteLength(path) > maxPathBytes)
      return `the path of the socket is too long: ${path}. Choose a gateway.listen.path of at most ${maxPathBytes} bytes`;
    if (!existsSync(folder)) return `the folder ${folder} of the socket does not exist: create it, or choose another gateway.listen.path`;
    return `no socket can be created at ${path} (${code ?? message}): make the folder writable, or choose another gateway.listen.path`;
  };
  return Object.assign(new Error(why(), { cause: error }), { code });
}

function startListening(server: Server, listen: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('listening', () => {
      server.off('error', reject);
      resolve();
    });
    listen();
  });
}

/** Whether a process listens on a Unix socket. */
function isInUse(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'ECONNREFUSED'));
  });
}
