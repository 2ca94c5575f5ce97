/** Owns the table that compares models with the real packages. */
import { markdownTable, standingOf, type Standing } from '@holdfast/simulate/report';
import { judgedWorlds } from '../line-up.ts';
import { runsOf } from '../stored-runs.ts';
import { realPackages } from './packages.ts';

export async function besideModels(seeds: readonly string[]): Promise<string> {
  const pairs = judgedWorlds.flatMap((world) =>
    realPackages.flatMap(({ name, model }) => [model, name].map((contender) => ({ world, contender }))),
  );
  const standings = (await runsOf(pairs, seeds, { reuse: true, store: true })).map(standingOf);
  const cell = (world: string, contender: string): string =>
    formatStanding(standings.find((standing) => standing.world === world && standing.contender === contender));
  const rows = realPackages.flatMap(({ name, model }) => [
    [`${model} (model)`, ...judgedWorlds.map((world) => cell(world, model))],
    [`**${name}**`, ...judgedWorlds.map((world) => cell(world, name))],
  ]);
  return `The packages run unchanged: \`setTimeout\`, \`setInterval\`, \`Date.now\` and \`performance.now\` are those of the simulated world, and promises settle before its time continues.
Success in %, then requests per call, of the same seeds.

${markdownTable(['', ...judgedWorlds], rows)}`;
}

function formatStanding(standing: Standing | undefined): string {
  return `${((standing?.success?.mean ?? 0) * 100).toFixed(1)} · ${(standing?.requestsPerCall?.mean ?? 0).toFixed(2)}`;
}
