/**
 * Owns finding loopback ports that stay free while a server is down: below the range that the system hands out to anyone who connects, so that a server
 * that is killed gets its own ports back.
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

/** That many different ports of this machine's loopback, none in use now. */
export const freeLoopbackPorts = async (count: number): Promise<readonly number[]> => {
  const found = new Set<number>();
  while (found.size < count) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    // oxlint-disable-next-line no-await-in-loop -- one after the other, until there are enough
    if (!found.has(port) && (await isFree(port))) found.add(port);
  }
  return [...found];
};
