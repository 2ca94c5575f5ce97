/** `holdfast trace`: shows a recorded turn. */
import type { Command } from 'commander';
import type { GlobalOptions } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import { type FoundTurn, findTurn } from '../find-turn.ts';
import type { Program } from '../program.ts';
import { withHistory } from '../store.ts';
import type { Console } from '../terminal/console.ts';
import { renderPlain, renderTrace } from '../view/index.ts';
import { count } from './arguments.ts';
import { outputOption } from './output-option.ts';

interface TraceOptions extends GlobalOptions {
  readonly output: 'auto' | 'plain' | 'json';
  readonly run?: number;
}

export function addTrace(parent: Command, program: Program): void {
  parent
    .command('trace')
    .summary('show a recorded turn')
    .description('Shows what happened in a turn: the waterfall, then every event. A turn whose process died is shown as INTERRUPTED.')
    .argument('[turn]', 'id of the turn, or its beginning (default: the latest)')
    .option('--run <number>', 'which run, when the id was used more than once (default: the latest)', count)
    .addOption(outputOption('auto', 'plain', 'json'))
    .addHelpText('after', '\nWith --output json each line is one event of the Turn Trace, as it was recorded.')
    .action((turn: string | undefined, _own: unknown, command: Command) =>
      program.perform(command, async (options: TraceOptions, console) => {
        const found = await withHistory(options, console, (store) => findTurn(store, turn, options.run));
        show(found, options.output, console);
        return exitCodes.ok;
      }),
    );
}

function show({ events }: FoundTurn, output: TraceOptions['output'], { out, surface }: Console): void {
  if (output === 'auto') for (const line of renderTrace(events, surface())) out.line(line);
  for (const event of output === 'auto' ? [] : events) {
    const line = output === 'json' ? JSON.stringify(event) : renderPlain(event);
    if (line !== undefined) out.line(line);
  }
}
