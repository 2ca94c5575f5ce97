// Writes turns without pause: write-turns.ts <path> <name> <number of turns, 0 for endless> [events before the thread]. After every flush it prints how far it came.
import { createSqliteStore } from '../../src/sqlite-store.ts';
import { settingsOf } from '../../src/settings.ts';
import { turnEvents } from './turns.ts';

const [path = '', name = '', count = '0', threadAfter = 'Infinity'] = process.argv.slice(2);
const store = createSqliteStore({ ...settingsOf({ path, batchSize: 50 }), threadAfterEvents: Number(threadAfter) });
const total = count === '0' ? Infinity : Number(count);
process.stdout.write('started\n');
for (let n = 0; n < total; n += 1) {
  // In odd pieces, so that turns are cut by batches.
  const events = turnEvents(`${name}-${String(n)}`, Date.now(), n % 17);
  for (let at = 0; at < events.length; at += 3) store.append(events.slice(at, at + 3));
  if (n % 5 !== 0) continue;
  await store.flush();
  if (store.status().ok) process.stdout.write(`flushed ${String(n)}\n`);
  else process.stdout.write(`fault ${JSON.stringify(store.status())}\n`);
}
await store.close();
process.stdout.write(`dropped ${String(store.status().dropped)}\n`);
