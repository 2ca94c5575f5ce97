/** `holdfast tune`: searches better settings for a tool and writes them down for review. */
import type { Command } from 'commander';
import type { Program } from '../action.ts';
import { count, moment } from './arguments.ts';
import { outputOption } from './output-option.ts';

export function addTune(parent: Command, program: Program): void {
  parent
    .command('tune')
    .summary('search better settings for a tool')
    .description(
      'Tries settings of a tool in simulated worlds that are fitted to its recorded calls, evaluates the best of them against the recorded calls, and shows what each costs and brings. It changes nothing: with --write the change of the manifest is put into a file for review.',
    )
    .argument('<tool>', 'the tool')
    .option('-s, --since <when>', 'turns that began since then: 30m, 24h, 7d or a moment (default: 7d)', moment)
    .option('-n, --limit <number>', 'the newest turns at most', count, 1000)
    .option('--candidates <number>', 'settings that are tried at most', count, 40)
    .option('--seed <seed>', 'what the simulated worlds are made of', 'tune')
    .option('--all', 'show every setting that was tried, not only those that nothing beats')
    .option('--write <file>', 'write the recommended change of the manifest as a diff; never overwrites, never applies it')
    .addOption(outputOption('auto', 'json'))
    .addHelpText(
      'after',
      `
Exit codes
  0  done, also where nothing is recommended    2  no turn has called the tool, or the file exists

Examples
  holdfast tune search --since 7d
  holdfast tune search --write search.diff    # read it, then: patch -p1 < search.diff`,
    )
    .action((tool: string, _own: unknown, command: Command) => program.perform(command, () => import('../actions/tune.ts'), tool));
}
