/** `holdfast simulate`: compares policies in a simulated world. */
import { printWorld } from '@holdfast/manifest/world';
import { type Comparison, scenarios, seedsOf, type World } from '@holdfast/simulate';
import { namedContenders } from '@holdfast/simulate/peers';
import type { Action } from '../action.ts';
import { displayPath, type GlobalOptions } from '../config.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { checkExpectations, parseExpectation } from '../lab/expectations.ts';
import { labData } from '../lab/lab-data.ts';
import { contenderOf } from '../lab/policies.ts';
import { runLab } from '../lab/run-lab.ts';
import { scenariosOf, loadWorlds } from '../lab/worlds.ts';
import type { Console } from '../terminal/console.ts';
import { programName } from '../terminal/program-name.ts';
import { createProgress } from '../terminal/progress.ts';
import { quoteArgument } from '../terminal/quote-argument.ts';
import { renderTable } from '../terminal/table.ts';
import { writeNewFile } from '../terminal/write-new-file.ts';
import type { ChartMetric } from '../view/lab/buckets.ts';
import { renderChart } from '../view/lab/chart.ts';
import { renderComparison } from '../view/lab/comparison.ts';
import { cell } from '../view/text/cell.ts';
import { pluralize } from '../view/text/format.ts';

interface SimulateOptions extends GlobalOptions {
  readonly scenario?: readonly string[];
  readonly policy?: readonly string[];
  readonly processes?: number;
  readonly seeds: number;
  readonly seed: string;
  readonly chart?: ChartMetric;
  readonly expect?: readonly string[];
  readonly list?: boolean;
  readonly write?: string;
  readonly output: 'auto' | 'json';
}

export const execute: Action<readonly string[], SimulateOptions> = async (files, options, console) => {
  if (options.list === true) return listCatalogue(options.output, console);
  if (options.write !== undefined) return writeScenario(options.write, options.scenario ?? [], console);
  const loaded = await loadWorlds(files, options.scenario ?? [], console);
  const { processes } = options;
  const worlds = processes === undefined ? loaded : loaded.map((world) => ({ ...world, processes }));
  const given = [...new Set(options.policy ?? ['spec', 'adaptive'])];
  const contenders = await Promise.all(given.map((policy) => contenderOf(policy, worlds, console)));
  const expectations = (options.expect ?? []).map((text) =>
    parseExpectation(
      text,
      contenders.map(({ name }) => name),
    ),
  );
  const progress = createProgress(console);
  const comparisons = runLab({ worlds, contenders, seeds: seedsOf(options.seed, options.seeds) }, ({ world, contender, done, total }) =>
    progress.show(`${world}, ${contender}: run ${done + 1} of ${total}`),
  );
  progress.clear();
  const results = checkExpectations(expectations, comparisons);
  if (options.output === 'json')
    for (const comparison of comparisons) console.out.writeLine(JSON.stringify(labData(comparison, results, options.chart !== undefined)));
  else
    for (const [index, world] of worlds.entries())
      printComparisons(world, comparisonsOf(comparisons, index, contenders.length), options, index, console);
  const failed = results.filter(({ holds }) => !holds);
  for (const { message } of failed) console.error(message);
  return failed.length > 0 ? exitCodes.failed : exitCodes.ok;
};

/** By position, since two worlds can have the same name. */
const comparisonsOf = (all: readonly Comparison[], world: number, contenders: number): readonly Comparison[] =>
  all.slice(world * contenders, (world + 1) * contenders);

function printComparisons(
  world: World,
  comparisons: readonly Comparison[],
  options: SimulateOptions,
  index: number,
  { out, surface }: Console,
): void {
  if (index > 0) out.writeLine();
  out.writeLine(` ${world.name}${world.description === undefined ? '' : `: ${world.description}`}`);
  out.writeLine(
    ` ${pluralize(options.seeds, 'seed')}${options.seeds > 1 ? ', means' : ''}; ${pluralize(Math.round(comparisons[0]?.summary.turns ?? 0), 'turn')} each${topologyOf(world)}`,
  );
  out.writeLine();
  for (const line of renderComparison(comparisons, surface())) out.writeLine(line);
  if (options.chart === undefined) return;
  out.writeLine();
  for (const line of renderChart(comparisons, options.chart, world.durationMs, surface())) out.writeLine(line);
}

const topologyOf = ({ processes = 1 }: World): string => (processes === 1 ? '' : `, in ${processes} processes that share nothing`);

function listCatalogue(output: SimulateOptions['output'], { out, surface }: Console): number {
  const worlds = Object.values(scenarios).map(({ name, description = '' }) => ({ name, description }));
  const policies = namedContenders;
  if (output === 'json') {
    for (const world of worlds) out.writeLine(JSON.stringify({ kind: 'scenario', ...world }));
    for (const policy of policies) out.writeLine(JSON.stringify({ kind: 'policy', ...policy }));
    return exitCodes.ok;
  }
  const row = ({ name, description }: { readonly name: string; readonly description: string }) => [cell(name, 'strong'), cell(description)];
  for (const line of renderTable(['scenario', 'what goes wrong'], worlds.map(row), surface())) out.writeLine(line);
  out.writeLine();
  for (const line of renderTable(['policy', 'what it does'], policies.map(row), surface())) out.writeLine(line);
  return exitCodes.ok;
}

async function writeScenario(path: string, names: readonly string[], console: Console): Promise<number> {
  const [world, another] = names.flatMap(scenariosOf);
  if (!world || another) throw new UsageError('--write takes one --scenario.');
  await writeNewFile(path, printWorld(world));
  console.note(` wrote  ${displayPath(path)}\n\nTry it: ${programName()} simulate ${quoteArgument(displayPath(path))} --chart`);
  return exitCodes.ok;
}
