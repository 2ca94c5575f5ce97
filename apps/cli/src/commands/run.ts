/** `holdfast run`: runs a turn and shows it. */
import type { Command } from 'commander';
import type { Program } from '../action.ts';
import { parseDuration } from './parse-arguments.ts';
import { outputOption } from './output-option.ts';

export function addRun(parent: Command, program: Program): void {
  parent
    .command('run')
    .summary('run a turn and watch it')
    .description(
      'Runs the calls of a turn file with the tools of the manifest. Progress goes to standard error, results to standard output.',
    )
    .argument('<turn>', 'turn file, YAML or JSON')
    .option('--seed <seed>', "makes jitter and ids reproducible (default: the manifest's seed)")
    .option('--turn-id <id>', 'the id of the turn in the trace')
    .option('--timeout <duration>', "deadline of the whole turn, such as 20s (default: the turn file's)", parseDuration)
    .addOption(outputOption('auto', 'tty', 'plain', 'json'))
    .option('--fresh', 'start with closed circuits, regardless of earlier runs')
    .option('--gateway <url>', "run the turn on this gateway, with the gateway's tools, and watch it here")
    .option('--token-env <name>', "the environment variable that holds the gateway's token")
    .addHelpText(
      'after',
      `
Output
  auto   live on a terminal, plain elsewhere and if CI is set
  tty    live
  plain  one line per event on standard error
  json   the trace on standard output, one event per line, as it happens
  Except with json, standard output has the results: an excerpt on a terminal, JSON elsewhere.

Exit codes
  0    every required call succeeded
  1    a required call failed
  2    the files or arguments cannot be used
  3    the turn's deadline was reached
  130  cancelled by Ctrl-C (once: cancel, twice: quit at once)

Examples
  holdfast run turn.yaml
  holdfast run turn.yaml --seed 7 --output json > trace.ndjson
  holdfast run turn.yaml --timeout 20s --store none
  holdfast run turn.yaml --gateway http://127.0.0.1:7340`,
    )
    .action((turn: string, _own: unknown, command: Command) => program.runAction(command, () => import('../actions/run.ts'), turn));
}
