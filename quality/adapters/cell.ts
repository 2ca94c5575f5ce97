/**
 * Runs one framework, bare or with Holdfast, and cases of the contract until one hangs or crashes, in a process of its own:
 * `node --conditions=@holdfast/source quality/adapters/cell.ts packages/adapters/openai openai-chat bare timeout,secrets`.
 * The cases of `timeout+secrets` run at once.
 */
import { join } from 'node:path';
import { contractCases, conversationEnds, missingCapability, stageOf } from '@holdfast/adapter-kit/testing';
import type { AdapterHarness } from '@holdfast/adapter-kit/testing';
import { type Cell, sideBySide } from './run.ts';

const [, , folder = '', id = '', how = '', list = ''] = process.argv;
const harnessFile = join(import.meta.dirname, '../..', folder, 'test/support/harness.ts');
const { harnesses } = (await import(harnessFile)) as { readonly harnesses: readonly AdapterHarness[] };
const harness = harnesses.find((each) => each.id === id);
if (!harness) throw new Error(`There is no harness '${id}' in ${folder}.`);

let escaped = 0;
const escape = (): void => void (escaped += 1);
process.on('uncaughtException', escape);
process.on('unhandledRejection', escape);
// Keeps the process alive while a framework hangs.
setInterval(() => undefined, 1_000);

const cells: Record<string, Cell> = {};

/** Whether the case left nothing behind. */
async function play(caseId: string): Promise<boolean> {
  const contractCase = contractCases.find((each) => each.id === caseId);
  if (!contractCase || !harness) throw new Error(`There is no case '${caseId}'.`);
  const lacks = missingCapability(harness, contractCase);
  if (lacks !== undefined) {
    cells[caseId] = { verdict: 'n/a', seen: lacks };
    return true;
  }
  const { seen, broken } = await contractCase.observe(stageOf(harness, how === 'wrapped'));
  await new Promise((resolve) => setTimeout(resolve, 20));
  const wrong = [...broken, ...(escaped > 0 ? ['no error escapes to the process'] : [])];
  cells[caseId] = wrong.length === 0 ? { verdict: 'pass', seen } : { verdict: 'fail', wrong, seen };
  return escaped === 0 && !broken.includes(conversationEnds);
}

for (const group of list.split(',')) {
  const clean = await Promise.all(group.split(sideBySide).map(play));
  // Leftovers must not affect another case: the remaining cases run in a new process.
  if (clean.includes(false)) break;
}
process.stdout.write(`\n${JSON.stringify(cells)}`, () => process.exit(0));
