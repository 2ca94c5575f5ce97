/**
 * Owns binding a server to its address.
 *
 * Invariants
 * 1. The file of a Unix socket without a listener is replaced; one with a listener is not. Only the owner of the file may connect.
 */
import { chmod, unlink } from 'node:fs/promises';
import type { Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
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
  await startListening(server, () => server.listen(listen.port, host));
  const { port } = server.address() as AddressInfo;
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`, port };
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
