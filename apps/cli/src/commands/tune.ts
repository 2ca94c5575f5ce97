/** `holdfast tune`: searches for better settings of a tool and writes them as a diff for review. */
import type { Command } from 'commander';
import type { Program } from '../action.ts';
import { parseCount, parseSince } from './parse-arguments.ts';
import { outputOption } from './output-option.ts';

export function addTune(parent: Command, program: Program): void {
  parent
    .command('tune')
    .summary('search for better settings of a tool')
    .description(
      'Tries settings of a tool in simulations fitted to its recorded calls, evaluates the best of them against the recorded calls, and shows the cost and benefit of each. Changes nothing: with --write, the change to the manifest goes to a diff for review.',
    )
    .argument('<tool>', 'the tool')
    .option('-s, --since <when>', 'turns that started since then: 30m, 24h, 7d or a time (default: 7d)', parseSince)
    .option('-n, --limit <number>', 'use at most this many turns, newest first', parseCount, 1000)
    .option('--candidates <number>', 'try at most this many settings', parseCount, 40)
    .option('--seed <seed>', 'seed of the simulations', 'tune')
    .option('--all', 'show every setting that was tried, not only the Pareto-optimal ones')
    .option('--write <file>', 'write the recommended change to the manifest as a diff; never overwrites, never applies it')
    .addOption(outputOption('auto', 'json'))
    .addHelpText(
      'after',
      `
Exit codes
  0  done, with or without a recommendation
  2  no recorded turn calls the tool, or the file exists

Examples
  holdfast tune search --since 7d
  holdfast tune search --write search.diff    # review it, then: patch -p1 < search.diff`,
    )
    .action((tool: string, _own: unknown, command: Command) => program.runAction(command, () => import('../actions/tune.ts'), tool));
}
