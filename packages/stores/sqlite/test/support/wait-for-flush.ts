// Has nothing to do but to wait for a flush, during which the writing moves to the thread: wait-for-flush.ts <path>
import { createSqliteStore } from '../../src/sqlite-store.ts';
import { settingsOf } from '../../src/settings.ts';
import { turnEvents } from './turns.ts';

const store = createSqliteStore({ ...settingsOf({ path: process.argv[2] ?? '' }), threadAfterEvents: 100 });
for (let n = 0; n < 4_000; n += 1) store.append(turnEvents(`turn-${String(n)}`, Date.now()));
await store.flush();
process.stdout.write(`${JSON.stringify(store.status())}\n`);
