/** `holdfast turns`: lists recorded turns. */
import type { Command } from 'commander';
import type { Program } from '../action.ts';
import { parseCount } from './parse-arguments.ts';
import { outputOption } from './output-option.ts';

export function addTurns(parent: Command, program: Program): void {
  parent
    .command('turns')
    .summary('list recorded turns')
    .description('Lists recorded turns, newest first.')
    .option('-n, --limit <number>', 'list at most this many', parseCount, 20)
    .addOption(outputOption('auto', 'json'))
    .action((_own: unknown, command: Command) => program.runAction(command, () => import('../actions/turns.ts'), undefined));
}
