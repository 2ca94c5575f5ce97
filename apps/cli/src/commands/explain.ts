/** `holdfast explain`: why a call ended as it did. */
import type { Command } from 'commander';
import type { Program } from '../action.ts';
import { outputOption } from './output-option.ts';
import { parseRunNumber } from './parse-arguments.ts';

export function addExplain(parent: Command, program: Program): void {
  parent
    .command('explain')
    .summary('explain each decision about a call')
    .description('Explains each decision about a call: its inputs, the checks, and what would have changed it.')
    .argument('[call]', 'id of the call (default: the call that failed, or else the one with the most decisions)')
    .option('-t, --turn <id>', 'id of the turn, or a prefix of it (default: the latest turn that has the call)')
    .option('--run <number>', 'which run, if the id was used more than once (default: the latest)', parseRunNumber)
    .addOption(outputOption('auto', 'json'))
    .addHelpText(
      'after',
      `
With --output json, standard output is one document: the call, its decisions as recorded, each with what would have changed it, and its result.`,
    )
    .action((call: string | undefined, _own: unknown, command: Command) =>
      program.runAction(command, () => import('../actions/explain.ts'), call),
    );
}
