/** `holdfast trace`: shows a recorded turn. */
import { Option, type Command } from 'commander';
import type { Program } from '../action.ts';
import { runNumber } from './arguments.ts';
import { outputOption } from './output-option.ts';

export function addTrace(parent: Command, program: Program): void {
  parent
    .command('trace')
    .summary('show a recorded turn')
    .description('Shows what happened in a turn: the waterfall, then every event. A turn whose process died is shown as INTERRUPTED.')
    .argument('[turn]', 'id of the turn, or its beginning (default: the latest)')
    .option('--run <number>', 'which run, when the id was used more than once (default: the latest)', runNumber)
    .addOption(outputOption('auto', 'plain', 'json'))
    .addOption(new Option('--export <format>', 'print it for other programs instead').choices(['otlp', 'chrome']))
    .addHelpText(
      'after',
      '\n--export otlp: OTLP/JSON, to be sent to /v1/traces of a collector; chrome: a trace that ui.perfetto.dev opens. Arguments and results are left out.',
    )
    .addHelpText('after', '\nWith --output json each line is one event of the Turn Trace, as it was recorded.')
    .action((turn: string | undefined, _own: unknown, command: Command) =>
      program.perform(command, () => import('../actions/trace.ts'), turn),
    );
}
