/** `holdfast simulate`: compares policies in a simulated world. */
import { type Command, Option } from 'commander';
import type { Program } from '../action.ts';
import { parseCount } from './parse-arguments.ts';
import { outputOption } from './output-option.ts';

const collect = (value: string, previous: readonly string[] = []): readonly string[] => [...previous, value];

export function addSimulate(parent: Command, program: Program): void {
  parent
    .command('simulate')
    .summary('compare policies in a simulated world')
    .description(
      'Simulates agents, tools and outages under each policy, with the same seeds, and compares the results. Calls nothing outside; the same seed gives the same output, byte for byte.',
    )
    .argument('[world...]', 'world files')
    .option('-s, --scenario <name>', 'a scenario of the catalogue, or all (repeatable)', collect)
    .option(
      '-p, --policy <policy>',
      'spec, service, adaptive, none, peer:<name>, or a policy file (repeatable; default: spec and adaptive)',
      collect,
    )
    .option('--processes <number>', 'spread the agents over this many processes that share nothing (default: as in the world)', parseCount)
    .option('--seeds <number>', 'runs per policy', parseCount, 5)
    .option('--seed <seed>', 'base of the seeds; with --seeds 1, the seed itself', '1')
    .addOption(
      new Option('--chart [metric]', 'chart a metric over time (default: success)')
        .choices(['success', 'latency', 'requests', 'waiting'])
        .preset('success'),
    )
    .option(
      '-e, --expect <expectation>',
      'fail unless this holds, such as "success>=0.99" or "adaptive:recovery_s<5" (repeatable)',
      collect,
    )
    .option('--list', 'list the scenarios and the policies')
    .option('--write <file>', 'write the scenario to a file with comments, to edit; never overwrites')
    .addOption(outputOption('auto', 'json'))
    .addHelpText(
      'after',
      `
With --output json, standard output has one line per world and policy; with --chart, also the metrics over time.

Exit codes
  0  every expectation holds
  1  an expectation does not hold

Examples
  holdfast simulate --scenario outage --chart
  holdfast simulate --scenario outage --write world.yaml
  holdfast simulate world.yaml --policy a.yaml --policy b.yaml --seeds 20
  holdfast simulate world.yaml --policy holdfast.yaml --expect "success>=0.95" --expect "requests_per_call_during<=1.25"`,
    )
    .action((worlds: readonly string[], _own: unknown, command: Command) =>
      program.runAction(command, () => import('../actions/simulate.ts'), worlds),
    );
}
