/** `holdfast doctor`: what is wrong with the manifest, the machine and the servers, with advice. */
import type { Command } from 'commander';
import type { Program } from '../action.ts';
import { outputOption } from './output-option.ts';

export function addDoctor(parent: Command, program: Program): void {
  parent
    .command('doctor')
    .summary('find what is wrong, with advice')
    .description(
      'Looks at everything that the gateway needs: the manifest, the store (file or database), the engine of turns, the address and its tokens, each MCP server (started or reached once), the models, the lock file. Calls no tool and shows no secret.',
    )
    .addOption(outputOption('auto', 'json'))
    .addHelpText('after', '\nExit codes\n  0  no problems, perhaps warnings    1  problems found    2  the manifest cannot be used')
    .action((_own: unknown, command: Command) => program.perform(command, () => import('../actions/doctor.ts'), undefined));
}
