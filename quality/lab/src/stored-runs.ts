/**
 * Owns earlier runs, kept in `reports/lab`.
 *
 * 1. Without `--reuse`, a full run first deletes earlier runs.
 * 2. The first seed of a peer in a world always runs again; unless its result is the same, byte by byte, all other seeds do too.
 * 3. Holdfast's own runs are never reused: a change to the engine may affect one seed and not another.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunMetrics } from '@holdfast/simulate';
import { runAll } from './crew.ts';
import type { Job } from './job.ts';
import { isPeer } from './line-up.ts';

const folder = join(import.meta.dirname, '../../../reports/lab');

/** One policy in one world, in one topology. */
export type Pair = Omit<Job, 'seed'>;

export interface Storing {
  /** @default false */
  readonly reuse?: boolean;
  /** @default false */
  readonly store?: boolean;
}

/** The runs of each pair, seed by seed; the series of the first seed only. */
export async function runsOf(
  pairs: readonly Pair[],
  seeds: readonly string[],
  { reuse = false, store: keep = false }: Storing,
): Promise<readonly (readonly RunMetrics[])[]> {
  const [first = '', ...rest] = seeds;
  const fresh = await runAll(pairs.map((pair) => ({ ...pair, seed: first })));
  const stored = pairs.map((pair, index) => (reuse && isPeer(pair.contender) ? matching(pair, fresh[index], seeds) : undefined));
  const missing = pairs.filter((_, index) => !stored[index]);
  const more = await runAll(missing.flatMap((pair) => rest.map((seed) => ({ ...pair, seed }))));
  let next = 0;
  return pairs.map((pair, index) => {
    const known = stored[index];
    if (known) return known;
    const runs = [fresh[index] as RunMetrics, ...more.slice(next, next + rest.length).map(withoutSeries)];
    next += rest.length;
    if (keep) store(pair, runs);
    return runs;
  });
}

export function forget(): void {
  rmSync(folder, { recursive: true, force: true });
}

function matching(pair: Pair, first: RunMetrics | undefined, seeds: readonly string[]): readonly RunMetrics[] | undefined {
  const path = pathOf(pair);
  if (!existsSync(path)) return undefined;
  const runs = JSON.parse(readFileSync(path, 'utf8')) as readonly RunMetrics[];
  if (JSON.stringify(runs[0]) !== JSON.stringify(first)) return undefined;
  const wanted = seeds.map((seed) => runs.find((run) => run.seed === seed));
  return wanted.every((run) => run !== undefined) ? wanted : undefined;
}

function store(pair: Pair, runs: readonly RunMetrics[]): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(pathOf(pair), JSON.stringify(runs));
}

function withoutSeries(run: RunMetrics): RunMetrics {
  return { ...run, series: { begun: [], success: [], latencyMs: [], requests: [], waiting: [] } };
}

function pathOf({ world, processes, contender }: Pair): string {
  const topology = processes === undefined ? '' : ` in ${processes}`;
  return join(folder, `${world}${topology} ${contender.replaceAll(/[^\w-]+/g, '-')}.json`);
}
