/** Compares the tools, prompts and resources that the servers offer with the lock file. */
import {
  compareLocks,
  isMarker,
  kindOfEntry,
  type LockDifference,
  lockedParts,
  lockOf,
  readLock,
  type CheckedServer,
  type ToolLock,
} from '@holdfast/gateway';
import type { Manifest } from '@holdfast/manifest';
import { displayPath } from '../config.ts';
import { programName } from '../terminal/program-name.ts';
import type { Finding } from './finding.ts';

export async function checkLock({ gateway }: Manifest, servers: readonly CheckedServer[]): Promise<readonly Finding[]> {
  if (gateway.toolLock === 'off') return [{ check: 'lock', status: 'ok', message: 'disabled' }];
  const path = displayPath(gateway.lockFile);
  const lock = await readLock(gateway.lockFile);
  if (!lock)
    return [{ check: 'lock', status: 'ok', message: `${path} does not exist yet: the first list of each server will be accepted` }];
  const differences = differencesOf(lock, servers);
  const scope = servers.some(({ error }) => error !== undefined) ? ' of the servers that responded' : '';
  if (differences.length === 0) return [{ check: 'lock', status: 'ok', message: `${path}: no definition${scope} has changed` }];
  const status = gateway.toolLock === 'block' ? 'error' : 'warning';
  const advice = `Review what has changed: ${programName()} lock`;
  return differences.map(({ kind, server, toolName: tool }): Finding => ({
    check: 'lock',
    subject: `${server} ${tool}`,
    status,
    message: words[kind],
    advice,
  }));
}

const words: Readonly<Record<LockDifference['kind'], string>> = {
  added: 'is not in the lock file',
  removed: 'is in the lock file, but no longer offered',
  changed: 'the definition has changed',
};

/** Compares only servers that responded. A server that is new to the lock file is accepted with its first list. */
function differencesOf(lock: ToolLock, servers: readonly CheckedServer[]): readonly LockDifference[] {
  const known = servers.filter(({ name, error }) => error === undefined && Object.hasOwn(lock.servers, name));
  const names = new Set(known.map(({ name }) => name));
  const before: ToolLock = { version: 1, servers: Object.fromEntries(Object.entries(lock.servers).filter(([name]) => names.has(name))) };
  return compareLocks(before, currentLock(known)).filter(({ kind, server, toolName }) => {
    const part = kindOfEntry(toolName);
    if (part === undefined) return true;
    // The gateway accepts the first list of a kind. Resources come and go: only changed ones are held back.
    const isLocked = Object.keys(before.servers[server] ?? {}).some((name) => isMarker(name) && kindOfEntry(name) === part);
    return isLocked && !isMarker(toolName) && (part !== 'resources' || kind === 'changed');
  });
}

export const currentLock = (servers: readonly CheckedServer[]): ToolLock =>
  lockOf(
    servers.flatMap(({ name, tools, handshake, lists }) =>
      lockedParts(tools, handshake?.instructions, lists).map((definition) => ({ server: name, definition })),
    ),
  );
