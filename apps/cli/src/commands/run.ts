/** `holdfast run`: runs a turn and shows it. */
import type { Command } from 'commander';
import type { Program } from '../action.ts';
import { milliseconds } from './arguments.ts';
import { outputOption } from './output-option.ts';

export function addRun(parent: Command, program: Program): void {
  parent
    .command('run')
    .summary('run a turn and watch it')
    .description(
      'Runs the calls of a turn file with the tools of the manifest. Progress goes to standard error, results to standard output.',
    )
    .argument('<turn>', 'turn file, YAML or JSON')
    .option('--seed <seed>', "makes jitter and ids reproducible; the manifest's seed is the default")
    .option('--turn-id <id>', 'the id of the turn in the trace')
    .option('--timeout <ms>', "deadline of the whole turn in milliseconds, instead of the turn's own", milliseconds)
    .addOption(outputOption('auto', 'tty', 'plain', 'json'))
    .option('--fresh', 'begin with closed circuits, whatever earlier runs have found')
    .option('--gateway <url>', "run the turn at this gateway, with the gateway's tools, and watch it here")
    .option('--token-env <name>', "the environment variable that holds the gateway's token")
    .addHelpText(
      'after',
      `
Output
  auto   live on a terminal, plain elsewhere and with CI set
  tty    live
  plain  one line per event on standard error
  json   the trace on standard output, one event per line, as it happens
  With all but json the results are on standard output: an excerpt on a terminal, JSON elsewhere.

Exit codes
  0  every required call succeeded    2    the files or arguments cannot be used
  1  a required call failed           3    the turn's time was up
                                      130  cancelled by ctrl-C (once: cancel, twice: end at once)

Examples
  holdfast run turn.yaml
  holdfast run turn.yaml --seed 7 --output json > trace.ndjson
  holdfast run turn.yaml --timeout 20000 --store none
  holdfast run turn.yaml --gateway http://127.0.0.1:7340`,
    )
    .action((turn: string, _own: unknown, command: Command) => program.perform(command, () => import('../actions/run.ts'), turn));
}
