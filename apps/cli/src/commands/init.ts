/** `holdfast init`: writes a manifest, a tool and a turn that are ready to run. */
import type { Command } from 'commander';
import type { Program } from '../action.ts';

export function addInit(parent: Command, program: Program): void {
  parent
    .command('init')
    .summary('write a first manifest, tool and turn')
    .description('Writes a commented manifest, a tool module and a turn that are ready to run. Never overwrites a file.')
    .argument('[folder]', 'where to write them', '.')
    .action((folder: string, _own: unknown, command: Command) => program.runAction(command, () => import('../actions/init.ts'), folder));
}
