/** `holdfast circuit`: controls a circuit of a running gateway. */
import { Argument, type Command } from 'commander';
import type { CircuitCommand } from '@holdfast/gateway/contract';
import type { Program } from '../action.ts';
import { outputOption } from './output-option.ts';

export function addCircuit(parent: Command, program: Program): void {
  parent
    .command('circuit')
    .summary('control the circuit of a tool')
    .description('Controls the circuit of a tool on a running gateway, for all clients or for one. The gateway records the command.')
    .argument('<tool>', 'the name of the tool, as in holdfast tools')
    .addArgument(new Argument('<command>', 'what to do').choices(['open', 'close', 'disable', 'shadow', 'reset', 'auto']))
    .option('--client <name>', 'only the circuit of this client, at a server with isolation (default: the circuits of all clients)')
    .option('--gateway <url>', 'the address of the gateway (default: the port of the manifest, on this machine)')
    .option('--token-env <name>', "the environment variable that holds the gateway's token (default: HOLDFAST_OPERATOR_TOKEN)")
    .addOption(outputOption('auto', 'json'))
    .addHelpText(
      'after',
      `
Commands
  open     refuse all calls
  close    close the circuit, clear its failures and end manual control
  disable  neither count outcomes nor refuse calls
  shadow   count outcomes, but refuse no call
  reset    close the circuit and clear its failures
  auto     end manual control

The token needs the role operate. Without gateway.tokens, use the operator token: set
HOLDFAST_OPERATOR_TOKEN for holdfast serve and for this command.

Exit codes
  0  done    2  the gateway cannot be reached, or it rejects the command

Examples
  holdfast circuit files__read_text_file reset
  holdfast circuit browser__navigate open --client alice --token-env OPS_TOKEN`,
    )
    .action((tool: string, word: string, _own: unknown, command: Command) =>
      program.runAction(command, () => import('../actions/circuit.ts'), { tool, command: word as CircuitCommand }),
    );
}
