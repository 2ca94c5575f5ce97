/**
 * Owns binding a server to its address.
 *
 * Invariants
 * 1. The file of a Unix socket without a listener is replaced; one with a listener is not. Only the owner of the file may connect.
 */
import { chmod, unlink } from 'node:fs/promises';
import { type AddressInfo, connect, type Server } from 'node:net';
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
    EADDRNOTAVAIL: `${host} is no address of this machine: set gateway.listen.host, such as 127.0.0.1 or 0.0.0.0`,
  };
  return Object.assign(new Error(hints[code ?? ''] ?? message, { cause: error }), { code });
}

async function bindPath(server: Server, path: string): Promise<void> {
  try {
    await startListening(server, () => server.listen(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || (await isInUse(path))) throw error;
    await unlink(path);
    await startListening(server, () => server.listen(path));
  }
  await chmod(path, 0o600);
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
