/** `holdfast turns`: lists recorded turns. */
import { type Command, Option } from 'commander';
import type { Program } from '../action.ts';
import { parseCount, parseSince } from './parse-arguments.ts';
import { outputOption } from './output-option.ts';

/** The outcomes of a turn, and the states of one without an outcome. */
const outcomes = ['success', 'partial', 'failed', 'deadline', 'cancelled', 'running', 'interrupted'];

export function addTurns(parent: Command, program: Program): void {
  parent
    .command('turns')
    .summary('list recorded turns')
    .description('Lists recorded turns, newest first.')
    .option('-s, --since <when>', 'only turns that started since then: 30m, 24h, 7d or a time', parseSince)
    .addOption(new Option('--outcome <outcome>', 'only turns that ended like this, or have not ended').choices(outcomes))
    .option('-n, --limit <number>', 'list at most this many', parseCount, 20)
    .addOption(outputOption('auto', 'json'))
    .action((_own: unknown, command: Command) => program.runAction(command, () => import('../actions/turns.ts'), undefined));
}
