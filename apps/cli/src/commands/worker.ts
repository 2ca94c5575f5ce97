/** `holdfast worker`: runs turns for the turn engine. */
import { type Command, Option } from 'commander';
import type { Program } from '../action.ts';
import { parsePort } from './parse-arguments.ts';

export function addWorker(parent: Command, program: Program): void {
  parent
    .command('worker')
    .summary('run turns for the turn engine')
    .description(
      'Runs the turns that gateways submit to the turn engine (Restate), with the tools of the manifest. Any number of workers share them; when one dies, another continues. Reloads the manifest when it changes and on SIGHUP.',
    )
    .argument('[manifest]', 'the manifest, as with --config')
    .addOption(
      new Option(
        '--port <number>',
        "the port to listen on for the engine (default: the manifest's worker.listen, 9080); 0: any free port",
      ).argParser(parsePort),
    )
    .option('--host <address>', "the address to listen on (default: the manifest's, 127.0.0.1)")
    .option('--no-register', 'do not register with the engine: registration happens elsewhere')
    .addOption(
      new Option('--log <form>', "format of the call log on standard error (default: text on a terminal, else the manifest's)").choices([
        'json',
        'text',
        'off',
      ]),
    )
    .option('--fresh', 'start with closed circuits, regardless of earlier runs')
    .addHelpText(
      'after',
      `
Shutdown
  SIGTERM or Ctrl-C once: accepts no new work, lets attempts finish within worker.drain_ms, stops every server; other workers continue its turns.
  Twice: quits at once.

Exit codes
  0  clean shutdown
  2  the manifest or the listen address cannot be used, or the engine rejects the worker

Examples
  holdfast worker
  holdfast worker holdfast.yaml --port 0 --log json 2> calls.log
  holdfast serve --engine restate                # the gateway that submits turns`,
    )
    .action((manifest: string | undefined, _own: unknown, command: Command) =>
      program.runAction(command, () => import('../actions/worker.ts'), manifest),
    );
}
