/** `holdfast worker`: runs turns for the engine. */
import { type Command, Option } from 'commander';
import type { Program } from '../action.ts';
import { port } from './arguments.ts';

export function addWorker(parent: Command, program: Program): void {
  parent
    .command('worker')
    .summary('run turns for an engine that outlives it')
    .description(
      'Runs the turns that gateways hand to the engine (Restate), with the tools of the manifest. Any number of workers share them; when one dies, another continues. Reads the manifest again when it changes and on SIGHUP.',
    )
    .argument('[manifest]', 'the manifest, as with --config')
    .addOption(
      new Option('--port <number>', "where the engine finds it (default: the manifest's worker.listen, 9080); 0: any free port").argParser(
        port,
      ),
    )
    .option('--host <address>', "the address to listen on (default: the manifest's, 127.0.0.1)")
    .option('--no-register', 'do not tell the engine of the workers: that is done elsewhere')
    .addOption(
      new Option('--log <form>', "how each call is told on standard error (default: text on a terminal, else the manifest's)").choices([
        'json',
        'text',
        'off',
      ]),
    )
    .option('--fresh', 'begin with closed circuits, whatever earlier runs have found')
    .addHelpText(
      'after',
      `
Ending
  SIGTERM or ctrl-C once: takes nothing new, lets attempts end within worker.drain_ms, ends every server; other workers continue with its turns.
  Twice: ends at once.

Exit codes
  0  ended in order    2  the manifest cannot be used, the address cannot be listened on, or the engine does not take it

Examples
  holdfast worker
  holdfast worker holdfast.yaml --port 0 --log json 2> calls.log
  holdfast serve --engine restate                # the gateway in front`,
    )
    .action((manifest: string | undefined, _own: unknown, command: Command) =>
      program.perform(command, () => import('../actions/worker.ts'), manifest),
    );
}
