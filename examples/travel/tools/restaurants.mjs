/**
 * A program that knows three tables, asks for more, and hangs: it even ignores being asked to stop.
 * Arguments come as JSON on standard input; lines of {"partial": …} report what there is so far.
 */
import { setTimeout as wait } from 'node:timers/promises';

let input = '';
for await (const chunk of process.stdin) input += chunk;
const { city } = JSON.parse(input);

process.on('SIGTERM', () => {});
const tables = ['Tasca do Cais', 'Ponto Final', 'O Velho Eurico'].map((name) => ({ name, city }));
for (const count of [1, 2, 3]) {
  console.log(JSON.stringify({ partial: { tables: tables.slice(0, count), complete: false } }));
  await wait(300);
}
setInterval(() => {}, 60_000);
