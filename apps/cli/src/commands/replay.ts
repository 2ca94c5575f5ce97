/** `holdfast replay`: repeats a recorded turn, offline and in virtual time. */
import type { Command } from 'commander';
import type { Program } from '../action.ts';
import { parseRunNumber } from './parse-arguments.ts';
import { outputOption } from './output-option.ts';

export function addReplay(parent: Command, program: Program): void {
  parent
    .command('replay')
    .summary('replay a recorded turn, offline')
    .description(
      'Repeats a recorded turn, offline and in virtual time. Calls no tool. Without --policy, the decisions and the outcome must match the record. With --policy, it shows what other settings and recovery rules would have done.',
    )
    .argument('[turn]', 'id of the turn, or a prefix of it (default: the latest)')
    .option('-p, --policy <policy>', 'spec, service, adaptive, or a policy file or manifest')
    .option('--run <number>', 'which run, if the id was used more than once (default: the latest)', parseRunNumber)
    .addOption(outputOption('auto', 'json'))
    .addHelpText(
      'after',
      `
With --output json, standard output is the trace of the replay, one event per line.

Exit codes
  0  done; without --policy: same as recorded
  1  without --policy: differs from the record`,
    )
    .action((turn: string | undefined, _own: unknown, command: Command) =>
      program.runAction(command, () => import('../actions/replay.ts'), turn),
    );
}
