// Appends and ends in the given way: end-without-close.ts <path> natural|exit|error|hang|busy [events before the thread]
import { createSqliteStore } from '../../src/sqlite-store.ts';
import { settingsOf } from '../../src/settings.ts';
import { turnEvents } from './turns.ts';

const [path = '', how = '', threadAfter = 'Infinity'] = process.argv.slice(2);
const settings = settingsOf({ path, flushIntervalMs: 60_000, batchSize: how === 'busy' ? 20 : 10_000 });
const store = createSqliteStore({ ...settings, threadAfterEvents: Number(threadAfter) });
store.append(turnEvents(how, Date.now(), 300, true));
if (how === 'busy') for (let turns = 0; turns < 4; turns += 1) await new Promise((resolve) => setImmediate(resolve));
if (how === 'exit' || how === 'busy') process.exit(3);
if (how === 'error') throw new Error('the program failed');
if (how === 'hang') {
  await store.flush();
  process.stdout.write('flushed\n');
  setInterval(() => undefined, 1_000);
}
