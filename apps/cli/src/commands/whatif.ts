/** `holdfast whatif`: what recorded turns would have come to under other settings. */
import type { Command } from 'commander';
import type { Program } from '../action.ts';
import { count, moment } from './arguments.ts';
import { outputOption } from './output-option.ts';

export function addWhatif(parent: Command, program: Program): void {
  parent
    .command('whatif')
    .summary('re-run recorded turns under other settings')
    .description(
      'Runs recorded turns again, offline, calling no tool, with the settings of a policy in the place of the recorded ones. What was never observed is a range in which the truth lies, never a number.',
    )
    .requiredOption('-p, --policy <policy>', 'a policy file, or spec, service or adaptive')
    .option('-s, --since <when>', 'turns that began since then: 30m, 24h, 7d or a moment (default: 24h)', moment)
    .option('-t, --tool <tool>', 'change this tool alone, and show it alone')
    .option('-n, --limit <number>', 'the newest turns at most', count, 1000)
    .addOption(outputOption('auto', 'json'))
    .addHelpText(
      'after',
      `
With --output json standard output is one document: total, tools, turns, left_out, assumptions.

Examples
  holdfast whatif --since 24h --policy adaptive
  holdfast whatif --since 7d --policy b.yaml --tool search`,
    )
    .action((_own: unknown, command: Command) => program.perform(command, () => import('../actions/whatif.ts'), undefined));
}
