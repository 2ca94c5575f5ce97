/** `holdfast doctor`: checks the manifest, the environment and the servers, with advice. */
import type { Command } from 'commander';
import type { Program } from '../action.ts';
import { outputOption } from './output-option.ts';

export function addDoctor(parent: Command, program: Program): void {
  parent
    .command('doctor')
    .summary('find problems, with advice')
    .description(
      'Checks everything that the gateway needs: the manifest, the store (file or database), the turn engine, the listen address and its tokens, each MCP server (connects once), the model providers, the lock file. Calls no tool and prints no secret.',
    )
    .addOption(outputOption('auto', 'json'))
    .addHelpText('after', '\nExit codes\n  0  no errors (warnings possible)\n  1  errors found\n  2  the manifest cannot be used')
    .action((_own: unknown, command: Command) => program.runAction(command, () => import('../actions/doctor.ts'), undefined));
}
