/** Owns the table of models beside the packages that they are models of. */
import { markdownTable, standingOf, type Standing } from '@holdfast/simulate/report';
import { runAll } from '../crew.ts';
import { judgedWorlds } from '../line-up.ts';
import { realPackages } from './packages.ts';

export async function besideModels(seeds: readonly string[]): Promise<string> {
  const pairs = realPackages.flatMap(({ name, model }) => [model, name]);
  const jobs = judgedWorlds.flatMap((world) => pairs.flatMap((contender) => seeds.map((seed) => ({ world, contender, seed }))));
  const metrics = await runAll(jobs);
  const cell = (world: string, contender: string): string =>
    written(standingOf(metrics.filter((run) => run.world === world && run.contender === contender)));
  const rows = realPackages.flatMap(({ name, model }) => [
    [`${model} (model)`, ...judgedWorlds.map((world) => cell(world, model))],
    [`**${name}**`, ...judgedWorlds.map((world) => cell(world, name))],
  ]);
  return `The packages run unchanged: \`setTimeout\`, \`setInterval\`, \`Date.now\` and \`performance.now\` are those of the simulated world, and promises settle before its time goes on.
Success in %, then requests per call, of the same seeds.

${markdownTable(['', ...judgedWorlds], rows)}`;
}

function written({ success, requestsPerCall }: Standing): string {
  return `${((success?.mean ?? 0) * 100).toFixed(1)} · ${(requestsPerCall?.mean ?? 0).toFixed(2)}`;
}
