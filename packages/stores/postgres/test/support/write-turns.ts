// Writes turns without pause: write-turns.ts <url> <schema> <name> <number of turns, 0 for endless> [execution]. After every flush it prints how far it came.
import type { TraceEvent } from '@holdfast/core';
import { postgresStore } from '../../src/index.ts';
import { turnEvents } from './turns.ts';

const [url = '', schema = '', name = '', count = '0', execution = ''] = process.argv.slice(2);
const store = postgresStore({ url, schema, batchSize: 50, connectTimeoutMs: 20_000 });
const total = count === '0' ? Infinity : Number(count);
/** With an execution's name, several processes tell of the same turns. */
const named = (events: readonly TraceEvent[]): readonly TraceEvent[] =>
  execution === '' ? events : events.map((event) => ({ ...event, ...(event.seq === 1 ? { execution_id: execution } : {}) }) as TraceEvent);

process.stdout.write('started\n');
for (let n = 0; n < total; n += 1) {
  // In odd pieces, so that turns are cut by batches.
  const events = named(turnEvents(`${name}-${String(n)}`, 1_900_000_000_000 + n, n % 17));
  for (let at = 0; at < events.length; at += 3) store.append(events.slice(at, at + 3));
  if (n % 5 !== 0) continue;
  await store.flush();
  if (store.status().ok) process.stdout.write(`flushed ${String(n)}\n`);
  else process.stdout.write(`fault ${JSON.stringify(store.status())}\n`);
}
// Without `close`: what waits at the natural end of a process is written.
