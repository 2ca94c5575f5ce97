// Opens the store, appends one turn, prints its status as JSON: report.ts <path>
import { sqliteStore } from '../../src/index.ts';
import { turnEvents } from './turns.ts';

const store = sqliteStore({ path: process.argv[2] ?? '' });
store.append(turnEvents('reported', Date.now()));
await store.flush();
const turns = await store.listTurns();
process.stdout.write(`${JSON.stringify({ status: store.status(), turns })}\n`);
process.emitWarning('a warning of other code');
await store.close();
