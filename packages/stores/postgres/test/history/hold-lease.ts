// Asks for a lease: hold-lease.ts <url> <schema> <name> <ms>. Prints what it believes, with the time, every few milliseconds.
import { postgresHistory } from '../../src/history/index.ts';

const [url = '', schema = '', name = '', leaseMs = ''] = process.argv.slice(2);
const lease = postgresHistory({ url, schema, leaseMs: Number(leaseMs) }).lease(name);
setInterval(() => process.stdout.write(`${lease.isHeld() ? 'held' : 'free'} ${String(Date.now())}\n`), 5);
