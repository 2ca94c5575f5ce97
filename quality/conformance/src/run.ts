/** Owns running cells: each in a separate process, several at a time. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { behaviours } from './behaviours/index.ts';
import { contenders } from './contenders/index.ts';
import type { Behaviour, Cell, ContenderNotes } from './port.ts';

/** Cells by behaviour and library, as in `results.json`. */
export type Results = Readonly<Record<string, Readonly<Record<string, Cell>>>>;

export const root: string = join(import.meta.dirname, '../../..');
const program = join(import.meta.dirname, 'cell.ts');
const flags = ['--conditions=@holdfast/source', '--expose-gc', '--disable-warning=TimeoutOverflowWarning'];

/** A hundred processes load the same libraries: compiled code is cached. */
const env = { ...process.env, NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compile') };

function notApplicable({ needs }: Behaviour, { lacks }: ContenderNotes): Cell | undefined {
  const missing = needs.flatMap((feature) => lacks[feature] ?? []);
  return missing.length === 0 ? undefined : { verdict: 'n/a', seen: missing[0] ?? '' };
}

export async function runCell(behaviour: Behaviour, notes: ContenderNotes): Promise<Cell> {
  const none = notApplicable(behaviour, notes);
  if (none) return none;
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, program, notes.name, behaviour.id], {
    cwd: root,
    env,
    timeout: 240_000,
  });
  return JSON.parse(stdout) as Cell;
}

/** Calls `each` for every item, at most `limit` at a time. */
async function inParallel<Item>(items: readonly Item[], limit: number, each: (item: Item) => Promise<void>): Promise<void> {
  const rest = [...items];
  const lane = async (): Promise<void> => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await each(item);
  };
  await Promise.all(Array.from({ length: limit }, lane));
}

export async function runAll(limit = 6): Promise<Results> {
  const results: Record<string, Record<string, Cell>> = {};
  const pairs = behaviours.flatMap((behaviour) => contenders.map((notes) => ({ behaviour, notes })));
  for (const { id } of behaviours) results[id] = Object.fromEntries(contenders.map(({ name }) => [name, { verdict: 'n/a', seen: '' }]));
  await inParallel(pairs, limit, async ({ behaviour, notes }) => {
    const cell = await runCell(behaviour, notes);
    (results[behaviour.id] ??= {})[notes.name] = cell;
  });
  return results;
}
