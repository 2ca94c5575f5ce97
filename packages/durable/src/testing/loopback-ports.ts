/**
 * Owns finding loopback ports that stay free while a server is down: below the ephemeral range, so that a killed server can be restarted on
 * the same ports.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';

export const LOOPBACK = '127.0.0.1';

const LOWEST = 20_000;
const HIGHEST = 32_000;

const isFree = async (port: number): Promise<boolean> => {
  const probe = createServer();
  try {
    probe.listen(port, LOOPBACK);
    await once(probe, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    probe.close();
  }
};

/** Resolves to this many different loopback ports that are not in use. */
export const freeLoopbackPorts = async (count: number): Promise<readonly number[]> => {
  const found = new Set<number>();
  while (found.size < count) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    // oxlint-disable-next-line no-await-in-loop -- one after another, until there are enough
    if (!found.has(port) && (await isFree(port))) found.add(port);
  }
  return [...found];
};
