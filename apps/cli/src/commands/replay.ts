/** `holdfast replay`: takes a recorded turn's decisions again, offline and in virtual time. */
import type { Command } from 'commander';
import type { Program } from '../action.ts';
import { runNumber } from './arguments.ts';
import { outputOption } from './output-option.ts';

export function addReplay(parent: Command, program: Program): void {
  parent
    .command('replay')
    .summary("take a recorded turn's decisions again")
    .description(
      "Runs a recorded turn again, offline and in virtual time, calling no tool. Without --policy it must take the same decisions and end the same; with it, it answers what another manifest's settings and policies would have done.",
    )
    .argument('[turn]', 'id of the turn, or its beginning (default: the latest)')
    .option('-p, --policy <manifest>', 'a manifest whose settings and policies are used instead')
    .option('--run <number>', 'which run, when the id was used more than once (default: the latest)', runNumber)
    .addOption(outputOption('auto', 'json'))
    .addHelpText(
      'after',
      `
With --output json standard output is the trace of the replay, one event per line.

Exit codes
  0  done; without --policy: as recorded    1  without --policy: it came out otherwise`,
    )
    .action((turn: string | undefined, _own: unknown, command: Command) =>
      program.perform(command, () => import('../actions/replay.ts'), turn),
    );
}
