/** `holdfast serve`: the gateway. */
import { type Command, Option } from 'commander';
import type { Program } from '../action.ts';
import { parsePort } from './parse-arguments.ts';

export function addServe(parent: Command, program: Program): void {
  parent
    .command('serve')
    .summary('start the gateway')
    .description(
      'Starts the gateway: MCP, the Turn API and the model proxy, for hosts and agents. Reloads the manifest when it changes and on SIGHUP.',
    )
    .argument('[manifest]', 'the manifest, as with --config')
    .option('--stdio', 'speak MCP over standard input and output, for hosts that start this program')
    .addOption(
      new Option('--port <number>', "the port to listen on (default: the manifest's, 7340); 0: any free port").argParser(parsePort),
    )
    .option('--host <address>', "the address to listen on (default: the manifest's, 127.0.0.1)")
    .addOption(
      new Option('--log <form>', "format of the call log on standard error (default: text on a terminal, else the manifest's)").choices([
        'json',
        'text',
        'off',
      ]),
    )
    .addOption(
      new Option('--engine <where>', "where turns of the Turn API run (default: the manifest's engine, else in this process)").choices([
        'in-process',
        'restate',
      ]),
    )
    .option('--fresh', 'start with closed circuits, regardless of earlier runs')
    .addHelpText(
      'after',
      `
Shutdown
  SIGTERM or Ctrl-C once: accepts no new requests, lets running calls finish within gateway.drain_ms, stops every server.
  Twice: quits at once.

Exit codes
  0  clean shutdown
  2  the manifest or the listen address cannot be used

Examples
  holdfast serve
  holdfast serve holdfast.yaml --port 8080 --log json 2> calls.log
  holdfast serve --engine restate                # turns survive a crash; start workers with: holdfast worker
  holdfast mcp-config --host claude-desktop      # for hosts that start it with --stdio`,
    )
    .action((manifest: string | undefined, _own: unknown, command: Command) =>
      program.runAction(command, () => import('../actions/serve.ts'), manifest),
    );
}
