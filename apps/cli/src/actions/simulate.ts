/** `holdfast simulate`: policies against each other in a simulated world. */
import { printWorld } from '@holdfast/manifest';
import { type Comparison, scenarios, type World } from '@holdfast/simulate';
import type { Action } from '../action.ts';
import { displayed, type GlobalOptions } from '../config.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { checkExpectations, readExpectation } from '../lab/expectations.ts';
import { labData } from '../lab/lab-data.ts';
import { contenderOf, knownPolicies } from '../lab/policies.ts';
import { runLab, seedsOf } from '../lab/run-lab.ts';
import { scenariosOf, worldsOf } from '../lab/worlds.ts';
import type { Console } from '../terminal/console.ts';
import { programName } from '../terminal/program-name.ts';
import { createProgress } from '../terminal/progress.ts';
import { quotedArgument } from '../terminal/quoting.ts';
import { renderTable } from '../terminal/table.ts';
import { writeNew } from '../terminal/write-new.ts';
import type { ChartFigure } from '../view/lab/buckets.ts';
import { renderChart } from '../view/lab/chart.ts';
import { renderComparison } from '../view/lab/comparison.ts';
import { cell } from '../view/text/cell.ts';
import { count } from '../view/text/format.ts';

interface SimulateOptions extends GlobalOptions {
  readonly scenario?: readonly string[];
  readonly policy?: readonly string[];
  readonly seeds: number;
  readonly seed: string;
  readonly chart?: ChartFigure;
  readonly expect?: readonly string[];
  readonly list?: boolean;
  readonly write?: string;
  readonly output: 'auto' | 'json';
}

export const act: Action<readonly string[], SimulateOptions> = async (files, options, console) => {
  if (options.list === true) return list(options.output, console);
  if (options.write !== undefined) return writeScenario(options.write, options.scenario ?? [], console);
  const worlds = await worldsOf(files, options.scenario ?? [], console);
  const given = [...new Set(options.policy ?? ['spec', 'adaptive'])];
  const contenders = await Promise.all(given.map((policy) => contenderOf(policy, worlds, console)));
  const expectations = (options.expect ?? []).map((text) =>
    readExpectation(
      text,
      contenders.map(({ name }) => name),
    ),
  );
  const progress = createProgress(console);
  const comparisons = runLab({ worlds, contenders, seeds: seedsOf(options.seed, options.seeds) }, ({ world, contender, done, total }) =>
    progress.show(`${world}, ${contender}: run ${done + 1} of ${total}`),
  );
  progress.done();
  const checked = checkExpectations(expectations, comparisons);
  if (options.output === 'json')
    for (const comparison of comparisons) console.out.line(JSON.stringify(labData(comparison, checked, options.chart !== undefined)));
  else
    for (const [index, world] of worlds.entries())
      printComparisons(world, comparisonsOf(comparisons, index, contenders.length), options, index, console);
  const failed = checked.filter(({ holds }) => !holds);
  for (const { message } of failed) console.failure(message);
  return failed.length > 0 ? exitCodes.failed : exitCodes.ok;
};

/** Two worlds may have one name; their place tells them apart. */
const comparisonsOf = (all: readonly Comparison[], world: number, contenders: number): readonly Comparison[] =>
  all.slice(world * contenders, (world + 1) * contenders);

function printComparisons(
  world: World,
  comparisons: readonly Comparison[],
  options: SimulateOptions,
  index: number,
  { out, surface }: Console,
): void {
  if (index > 0) out.line();
  out.line(` ${world.name}${world.description === undefined ? '' : `: ${world.description}`}`);
  out.line(
    ` ${count(options.seeds, 'seed')}${options.seeds > 1 ? ', means' : ''}; ${count(Math.round(comparisons[0]?.summary.turns ?? 0), 'turn')} each`,
  );
  out.line();
  for (const line of renderComparison(comparisons, surface())) out.line(line);
  if (options.chart === undefined) return;
  out.line();
  for (const line of renderChart(comparisons, options.chart, world.durationMs, surface())) out.line(line);
}

async function list(output: SimulateOptions['output'], { out, surface }: Console): Promise<number> {
  const worlds = Object.values(scenarios).map(({ name, description = '' }) => ({ name, description }));
  const policies = await knownPolicies();
  if (output === 'json') {
    for (const world of worlds) out.line(JSON.stringify({ kind: 'scenario', ...world }));
    for (const policy of policies) out.line(JSON.stringify({ kind: 'policy', ...policy }));
    return exitCodes.ok;
  }
  const row = ({ name, description }: { readonly name: string; readonly description: string }) => [cell(name, 'strong'), cell(description)];
  for (const line of renderTable(['scenario', 'what goes wrong'], worlds.map(row), surface())) out.line(line);
  out.line();
  for (const line of renderTable(['policy', 'what it does'], policies.map(row), surface())) out.line(line);
  return exitCodes.ok;
}

async function writeScenario(path: string, names: readonly string[], console: Console): Promise<number> {
  const [world, another] = names.flatMap(scenariosOf);
  if (!world || another) throw new UsageError('--write takes one --scenario.');
  await writeNew(path, printWorld(world));
  console.note(` wrote  ${displayed(path)}\n\nTry it: ${programName()} simulate ${quotedArgument(displayed(path))} --chart`);
  return exitCodes.ok;
}
