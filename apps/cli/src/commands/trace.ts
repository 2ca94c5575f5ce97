/** `holdfast trace`: shows a recorded turn. */
import { Option, type Command } from 'commander';
import type { Program } from '../action.ts';
import { parseRunNumber } from './parse-arguments.ts';
import { outputOption } from './output-option.ts';

export function addTrace(parent: Command, program: Program): void {
  parent
    .command('trace')
    .summary('show a recorded turn')
    .description('Shows what happened in a turn: the waterfall, then every event. A turn whose process died shows as INTERRUPTED.')
    .argument('[turn]', 'id of the turn, or a prefix of it (default: the latest)')
    .option('--run <number>', 'which run, if the id was used more than once (default: the latest)', parseRunNumber)
    .addOption(outputOption('auto', 'plain', 'json'))
    .addOption(new Option('--export <format>', 'print it in the format of another tool').choices(['otlp', 'chrome']))
    .addHelpText(
      'after',
      '\n--export otlp: OTLP/JSON, for /v1/traces of a collector; chrome: a trace for ui.perfetto.dev. Both leave out arguments and results.',
    )
    .addHelpText('after', '\nWith --output json, each line is one recorded event of the Turn Trace.')
    .action((turn: string | undefined, _own: unknown, command: Command) =>
      program.runAction(command, () => import('../actions/trace.ts'), turn),
    );
}
