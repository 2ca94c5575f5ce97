/**
 * Owns taking an address.
 *
 * Invariants
 * 1. The file of a Unix socket that nobody listens on any more is taken over; one that somebody listens on is not. Only the owner may connect to ours.
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
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || (await isHeard(path))) throw error;
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

/** Whether somebody answers at a Unix socket. */
function isHeard(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'ECONNREFUSED'));
  });
}
