/** `holdfast simulate`: policies against each other in a simulated world. */
import { type Command, Option } from 'commander';
import type { Program } from '../action.ts';
import { count } from './arguments.ts';
import { outputOption } from './output-option.ts';

const each = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

export function addSimulate(parent: Command, program: Program): void {
  parent
    .command('simulate')
    .summary('try policies in a simulated world')
    .description(
      'Runs agents, tools and outages in simulated time, under each policy from the same seeds, and shows what came of it. Nothing outside is called; the same seed prints the same bytes.',
    )
    .argument('[world...]', 'files with worlds')
    .option('-s, --scenario <name>', 'a world of the catalogue, or all (may be given several times)', each)
    .option(
      '-p, --policy <policy>',
      'spec, service, adaptive, none, peer:<name>, or a policy file (may be given several times; default: spec and adaptive)',
      each,
    )
    .option('--seeds <number>', 'runs of each policy', count, 5)
    .option('--seed <seed>', 'what the seeds are made of; of one run it is the seed itself', '1')
    .addOption(
      new Option('--chart [figure]', 'draw a figure over time (default: success)')
        .choices(['success', 'latency', 'requests', 'waiting'])
        .preset('success'),
    )
    .option(
      '-e, --expect <expectation>',
      'what has to hold, such as "success>=0.99" or "adaptive:recovery_s<5" (may be given several times)',
      each,
    )
    .option('--list', 'list the catalogue and the policies')
    .option('--write <file>', 'write the scenario as a file with comments, to continue with; never overwrites')
    .addOption(outputOption('auto', 'json'))
    .addHelpText(
      'after',
      `
With --output json standard output has one line per world and policy, and with --chart the figures over time.

Exit codes
  0  done, and every expectation holds    1  an expectation does not hold

Examples
  holdfast simulate --scenario outage --chart
  holdfast simulate --scenario outage --write world.yaml
  holdfast simulate world.yaml --policy a.yaml --policy b.yaml --seeds 20
  holdfast simulate world.yaml --policy holdfast.yaml --expect "success>=0.95" --expect "requests_per_call_during<=1.25"`,
    )
    .action((worlds: readonly string[], _own: unknown, command: Command) =>
      program.perform(command, () => import('../actions/simulate.ts'), worlds),
    );
}
