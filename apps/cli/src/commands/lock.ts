/** `holdfast lock`: trusts the definitions that the servers offer now. */
import type { Command } from 'commander';
import type { Program } from '../action.ts';
import { outputOption } from './output-option.ts';

export function addLock(parent: Command, program: Program): void {
  parent
    .command('lock')
    .summary('trust the tools that the servers offer now')
    .description(
      'Asks every MCP server for its tools, shows what is not as the lock file has it, and with --write trusts it. Servers that do not answer stay as they are in the file.',
    )
    .option('--write', 'write the lock file')
    .addOption(outputOption('auto', 'json'))
    .addHelpText(
      'after',
      '\nExit codes\n  0  the file is as the servers are, or was written    1  something differs    2  manifest or lock file cannot be used',
    )
    .action((_own: unknown, command: Command) => program.perform(command, () => import('../actions/lock.ts'), undefined));
}
