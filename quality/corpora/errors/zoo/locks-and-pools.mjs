import { createPool } from 'generic-pool';
import lockfile from 'proper-lockfile';
import { writeFileSync } from 'node:fs';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['generic-pool', 'proper-lockfile'];

const pool = (options) => createPool({ create: async () => ({}), destroy: async () => {} }, { max: 1, ...options });

export const cases = [
  c('pool-timeout', 'generic-pool: no slot in time', async () => { const p = pool({ acquireTimeoutMillis: 50 }); await p.acquire(); await p.acquire(); }, { label: label('transient', 'timeout', false, { also: ['resource'], unscored: ['ambiguous'] }) }),
  c('pool-queue', 'generic-pool: too many are waiting', async () => { const p = pool({ maxWaitingClients: 0 }); await p.acquire(); await p.acquire(); }, { label: label('transient', 'resource', false, { also: ['rate_limit', 'unavailable'], unscored: ['ambiguous'] }) }),
  c('lock-held', 'proper-lockfile: another process holds the lock', async (w) => { writeFileSync(`${w.tmp}/lock`, ''); await lockfile.lock(`${w.tmp}/lock`); await lockfile.lock(`${w.tmp}/lock`); }, { label: label('transient', 'conflict', false) }),
  c('lock-missing', 'proper-lockfile: no such file', (w) => lockfile.lock(`${w.tmp}/none`), { label: label('permanent', 'not_found', false) }),
  c('lock-none', 'proper-lockfile: unlock what is not locked', (w) => lockfile.unlock(`${w.tmp}/lock2`, { realpath: false }), { label: label('permanent', 'conflict', false, { also: ['bug', 'not_found', 'invalid_input'] }) }),
];
