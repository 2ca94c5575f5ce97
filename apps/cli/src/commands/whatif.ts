/** `holdfast whatif`: how recorded turns would have ended under other settings. */
import type { Command } from 'commander';
import type { Program } from '../action.ts';
import { parseCount, parseSince } from './parse-arguments.ts';
import { outputOption } from './output-option.ts';

export function addWhatif(parent: Command, program: Program): void {
  parent
    .command('whatif')
    .summary('re-run recorded turns under other settings')
    .description(
      'Replays recorded turns with the settings of a policy instead of the recorded ones. Offline; calls no tool. Figures that the record does not determine exactly are shown as a range.',
    )
    .requiredOption('-p, --policy <policy>', 'a policy file, or spec, service or adaptive')
    .option('-s, --since <when>', 'turns that started since then: 30m, 24h, 7d or a time (default: 24h)', parseSince)
    .option('-t, --tool <tool>', 'change only this tool, and show only this tool')
    .option('-n, --limit <number>', 'use at most this many turns, newest first', parseCount, 1000)
    .addOption(outputOption('auto', 'json'))
    .addHelpText(
      'after',
      `
With --output json, standard output is one document: total, tools, turns, left_out, assumptions.

Examples
  holdfast whatif --since 24h --policy adaptive
  holdfast whatif --since 7d --policy b.yaml --tool search`,
    )
    .action((_own: unknown, command: Command) => program.runAction(command, () => import('../actions/whatif.ts'), undefined));
}
