/** `holdfast check`: validates manifests and turns without running anything. */
import type { Command } from 'commander';
import type { Program } from '../action.ts';
import { outputOption } from './output-option.ts';

export function addCheck(parent: Command, program: Program): void {
  parent
    .command('check')
    .summary('validate manifests and turns')
    .description('Validates manifests and turn files without running anything. Reports every error with line, column and a suggested fix.')
    .argument('[files...]', 'manifests and turns (default: the manifest, and turn.yaml and *.turn.yaml in its folder)')
    .addOption(outputOption('auto', 'json'))
    .addHelpText('after', '\nExit codes\n  0  no errors (warnings possible)\n  2  errors found')
    .action((files: readonly string[], _own: unknown, command: Command) =>
      program.runAction(command, () => import('../actions/check.ts'), files),
    );
}
