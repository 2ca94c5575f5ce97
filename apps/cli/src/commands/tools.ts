/** `holdfast tools`: the tools of the manifest, their settings and the state of their circuits. */
import type { Command } from 'commander';
import type { Program } from '../action.ts';
import { outputOption } from './output-option.ts';

export function addTools(parent: Command, program: Program): void {
  parent
    .command('tools')
    .summary('list tools, their settings and circuits')
    .description(
      'Lists the tools of the manifest and of its MCP servers, which it starts: how each runs, its settings, and the state of its circuit as last stored.',
    )
    .addOption(outputOption('auto', 'json'))
    .action((_own: unknown, command: Command) => program.runAction(command, () => import('../actions/tools.ts'), undefined));
}
