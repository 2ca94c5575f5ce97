/**
 * Measures one case in a process of its own: `node --conditions=@holdfast/source quality/adapters/cost/cell.ts packages/adapters/openai openai-run-tools`.
 * With `bare` or `wrapped` as third argument only plays that way, for a profiler.
 */
import { join } from 'node:path';
import { type CostCase, scriptedSize } from '@holdfast/adapter-kit/testing';

const [, , folder = '', id = '', only] = process.argv;
const file = join(import.meta.dirname, '../../..', folder, 'test/support/cost.ts');
const { costs } = (await import(file)) as { readonly costs: readonly CostCase[] };
const found = costs.find((each) => each.id === id);
if (!found) throw new Error(`There is no case '${id}' in ${folder}.`);

const callsPerConversation = scriptedSize.answers * scriptedSize.calls;
const rounds = 25;
const repeat = 30;

const play = { bare: await found.prepare(false), wrapped: await found.prepare(true) };

/** The CPU time of one call, in microseconds, with the share of its conversation. */
async function measure(how: keyof typeof play): Promise<number> {
  const before = process.cpuUsage();
  for (let count = 0; count < repeat; count++) await play[how]();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / repeat / callsPerConversation;
}

if (only === 'bare' || only === 'wrapped') {
  for (let round = 0; round < rounds; round++) await measure(only);
  process.exit(0);
}

// Warm: until the compiler has seen both.
for (let count = 0; count < 8; count++) for (const how of ['bare', 'wrapped'] as const) await measure(how);

const measured: { readonly bare: number; readonly wrapped: number }[] = [];
for (let round = 0; round < rounds; round++) {
  // The first of a round pays for what the other has left behind, so they take turns.
  const order = round % 2 === 0 ? (['bare', 'wrapped'] as const) : (['wrapped', 'bare'] as const);
  const times = { bare: 0, wrapped: 0 };
  for (const how of order) times[how] = await measure(how);
  measured.push(times);
}
process.stdout.write(`\n${JSON.stringify(measured)}`, () => process.exit(0));
