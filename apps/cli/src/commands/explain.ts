/** `holdfast explain`: why a call went the way it did. */
import type { Command } from 'commander';
import type { Program } from '../action.ts';
import { runNumber } from './arguments.ts';

export function addExplain(parent: Command, program: Program): void {
  parent
    .command('explain')
    .summary('explain every decision about a call')
    .description('Explains every decision about a call: what it was made from, what was checked, and what would have changed it.')
    .argument('<call>', 'id of the call')
    .option('-t, --turn <id>', 'id of the turn, or its beginning (default: the latest turn with such a call)')
    .option('--run <number>', 'which run, when the id was used more than once (default: the latest)', runNumber)
    .action((call: string, _own: unknown, command: Command) => program.perform(command, () => import('../actions/explain.ts'), call));
}
