/** Owns holding what the servers offer against the lock file. */
import { compareLocks, type LockDifference, lockOf, readLock, type SurveyedServer, type ToolLock } from '@holdfast/gateway';
import type { Manifest } from '@holdfast/manifest';
import { displayed } from '../config.ts';
import { programName } from '../terminal/program-name.ts';
import type { Finding } from './finding.ts';

export async function checkLock({ gateway }: Manifest, servers: readonly SurveyedServer[]): Promise<readonly Finding[]> {
  if (gateway.toolLock === 'off') return [{ check: 'lock', status: 'ok', message: 'switched off' }];
  const path = displayed(gateway.lockFile);
  const lock = await readLock(gateway.lockFile);
  if (!lock)
    return [{ check: 'lock', status: 'ok', message: `${path} is not there yet: the first lists that servers give will be trusted` }];
  const differences = differencesOf(lock, servers);
  const whose = servers.some(({ error }) => error !== undefined) ? ' of the servers that answered' : '';
  if (differences.length === 0) return [{ check: 'lock', status: 'ok', message: `${path}: every definition${whose} is as it was` }];
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
  removed: 'is in the lock file, but not offered any more',
  changed: 'its definition has changed',
};

/** Only of servers that answered: of the others nothing is known. A server that was never seen is trusted at its first list. */
function differencesOf(lock: ToolLock, servers: readonly SurveyedServer[]): readonly LockDifference[] {
  const known = servers.filter(({ name, error }) => error === undefined && Object.hasOwn(lock.servers, name));
  const names = new Set(known.map(({ name }) => name));
  const before: ToolLock = { version: 1, servers: Object.fromEntries(Object.entries(lock.servers).filter(([name]) => names.has(name))) };
  return compareLocks(before, lockNow(known));
}

export const lockNow = (servers: readonly SurveyedServer[]): ToolLock =>
  lockOf(servers.flatMap(({ name, tools }) => tools.map((definition) => ({ server: name, definition }))));
