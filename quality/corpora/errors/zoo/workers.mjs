import { Piscina } from 'piscina';
import workerpool from 'workerpool';
import { writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { fork } from 'node:child_process';
import { c } from '../world/index.mjs';
import { label } from '../world/matrix.mjs';

export const packages = ['piscina', 'workerpool', 'node'];

const file = (w, name, text) => { writeFileSync(`${w.tmp}/${name}`, text); return `${w.tmp}/${name}`; };
const pool = (w, options) => new Piscina({ filename: file(w, 'piscina.mjs', "export default ({ kind }) => { if (kind === 'exit') process.exit(3); if (kind === 'loop') for (;;); if (kind === 'throw') throw new Error('Seat 12A is taken'); };"), maxThreads: 1, ...options });
const went = { label: label('transient', 'network', true, { also: ['unavailable', 'unknown', 'resource'] }) };

export const cases = [
  c('piscina-exit', 'the worker exits', (w) => pool(w).run({ kind: 'exit' }), went),
  c('piscina-abort', 'the caller aborts', (w) => { const a = new AbortController(); setTimeout(() => a.abort(), 100); return pool(w).run({ kind: 'loop' }, { signal: a.signal }); }, { label: label('neutral', 'cancelled', true, { unscored: ['ambiguous'] }) }),
  c('piscina-queue', 'the queue is full', async (w) => { const p = pool(w, { maxQueue: 1, concurrentTasksPerWorker: 1 }); p.run({ kind: 'loop' }).catch(() => {}); p.run({ kind: 'loop' }).catch(() => {}); p.run({ kind: 'loop' }).catch(() => {}); try { await p.run({ kind: 'loop' }); } finally { void p.destroy(); } }, { label: label('transient', 'resource', false, { also: ['rate_limit', 'unavailable'], unscored: ['ambiguous'] }) }),
  c('piscina-throw', 'a business error', (w) => pool(w).run({ kind: 'throw' }), { label: label('transient', 'unknown', true, { unscored: ['classification', 'category'] }) }),
  c('workerpool-crash', 'the worker process exits', () => workerpool.pool({ workerType: 'process' }).exec(() => process.exit(4), []), went),
  c('workerpool-timeout', 'the time limit', () => workerpool.pool().exec(() => { for (;;); }, []).timeout(200), { label: label('transient', 'timeout', true) }),
  c('workerpool-cancel', 'cancelled', () => { const p = workerpool.pool().exec(() => { for (;;); }, []); setTimeout(() => p.cancel(), 100); return p; }, { label: label('neutral', 'cancelled', true, { unscored: ['ambiguous'] }) }),
  c('thread-memory', 'a thread out of memory', () => new Promise((_resolve, reject) => new Worker('const a = []; for (;;) a.push(new Array(1e5).fill(1));', { eval: true, resourceLimits: { maxOldGenerationSizeMb: 16 } }).on('error', reject)), { label: label('transient', 'resource', true, { unscored: ['classification'] }) }),
  c('ipc-closed', 'a message to a child that has gone', () => new Promise((_resolve, reject) => { const child = fork('-e', ['0']); child.on('exit', () => child.send('x', (error) => error && reject(error))); }), { label: label('transient', 'network', false, { unscored: ['ambiguous'] }) }),
];
