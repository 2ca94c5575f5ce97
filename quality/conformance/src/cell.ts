/**
 * One library, one behaviour, one process: `node --conditions=@holdfast/source --expose-gc src/cell.ts cockatiel B4`.
 * A separate process, so that a clock can be set, warnings counted, timers left and crashes survived without affecting another cell.
 */
import { behaviours } from './behaviours/index.ts';
import { contenders, loadContender } from './contenders/index.ts';
import type { Cell } from './port.ts';

const [, , name = '', id = ''] = process.argv;
const notes = contenders.find((each) => each.name === name);
const behaviour = behaviours.find((each) => each.id === id);
if (!notes || !behaviour) throw new Error(`Unknown cell: ${name} ${id}. Libraries: ${contenders.map((each) => each.name).join(', ')}.`);

const finish = (cell: Cell): never => {
  process.stdout.write(JSON.stringify(cell));
  process.exit(0);
};
const crashed = (error: unknown): void => {
  finish({ verdict: 'fail', seen: `an error reached the process: ${error instanceof Error ? error.message : String(error)}` });
};
// A library's timers may all be unreferenced.
setInterval(() => undefined, 1_000);

const contender = await loadContender(notes.name);
process.on('uncaughtException', crashed);
process.on('unhandledRejection', crashed);
try {
  const { ok, seen } = await behaviour.observe(contender, notes);
  finish({ verdict: ok ? 'pass' : 'fail', seen });
} catch (error) {
  process.stderr.write(`${name} ${id}: ${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
}
