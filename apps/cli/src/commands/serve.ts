/** `holdfast serve`: the gateway. */
import { type Command, Option } from 'commander';
import type { Program } from '../action.ts';
import { port } from './arguments.ts';

export function addServe(parent: Command, program: Program): void {
  parent
    .command('serve')
    .summary('start the gateway')
    .description(
      'Starts the gateway: MCP, the Turn API and the models behind it, for hosts and agents. Reads the manifest again when it changes and on SIGHUP.',
    )
    .option('--stdio', 'speak MCP over standard input and output, for a host that starts this program')
    .addOption(new Option('--port <number>', "where to listen (default: the manifest's, 7340); 0: any free port").argParser(port))
    .option('--host <address>', "the address to listen on (default: the manifest's, 127.0.0.1)")
    .addOption(
      new Option('--log <form>', "how each call is told on standard error (default: text on a terminal, else the manifest's)").choices([
        'json',
        'text',
        'off',
      ]),
    )
    .addOption(
      new Option('--engine <where>', "where turns of the Turn API run (default: the manifest's engine, else here)").choices([
        'in-process',
        'restate',
      ]),
    )
    .option('--fresh', 'begin with closed circuits, whatever earlier runs have found')
    .addHelpText(
      'after',
      `
Ending
  SIGTERM or ctrl-C once: takes nothing new, finishes what runs within gateway.drain_ms, ends every server. Twice: ends at once.

Exit codes
  0  ended in order    2  the manifest cannot be used, or the address cannot be listened on

Examples
  holdfast serve
  holdfast serve --port 8080 --log json 2> calls.log
  holdfast serve --engine restate                # turns outlive any process; workers run them: holdfast worker
  holdfast mcp-config --host claude-desktop      # for hosts that start it with --stdio`,
    )
    .action((_own: unknown, command: Command) => program.perform(command, () => import('../actions/serve.ts'), undefined));
}
