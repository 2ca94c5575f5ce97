/** `holdfast lock`: accepts the tool definitions that the servers offer now. */
import type { Command } from 'commander';
import type { Program } from '../action.ts';
import { outputOption } from './output-option.ts';

export function addLock(parent: Command, program: Program): void {
  parent
    .command('lock')
    .summary('accept the tools that the servers offer now')
    .description(
      'Lists the tools of every MCP server, shows how they differ from the lock file, and with --write accepts them. A server that does not respond keeps its entries.',
    )
    .option('--write', 'write the lock file')
    .addOption(outputOption('auto', 'json'))
    .addHelpText(
      'after',
      '\nExit codes\n  0  no differences, or the file was written\n  1  differences found\n  2  the manifest or the lock file cannot be used',
    )
    .action((_own: unknown, command: Command) => program.runAction(command, () => import('../actions/lock.ts'), undefined));
}
