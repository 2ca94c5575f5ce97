// Appends and ends in the way it is told: end-without-close.ts <path> natural|exit|error|hang
import { sqliteStore } from '../../src/index.ts';
import { turnEvents } from './turns.ts';

const [path = '', how = ''] = process.argv.slice(2);
const store = sqliteStore({ path, flushIntervalMs: 60_000, batchSize: 10_000 });
store.append(turnEvents(how, Date.now(), 300, true));
if (how === 'exit') process.exit(3);
if (how === 'error') throw new Error('the program failed');
if (how === 'hang') {
  await store.flush();
  process.stdout.write('flushed\n');
  setInterval(() => undefined, 1_000);
}
