/** Owns the pages about a full run of the lab. Does not own where files are written or how runs are made. */
import type { World } from '../world/world.ts';
import type { PeerModel } from '../peers/policy.ts';
import { judge, type Verdict } from './judgement.ts';
import type { Standing } from './standing.ts';
import { comparisonTable, markdownTable } from './table.ts';

/** The results of a full run in one world. */
export interface WorldReport {
  /** The world that the runs were made in. */
  readonly world: World;
  /** One standing for each contender, in the order of the table. */
  readonly standings: readonly Standing[];
  /** The seed of the run in the chart. */
  readonly chartSeed: string;
  /** The chart's file, relative to the page. */
  readonly chart: string;
  /** Remarks on this world that explain its figures. */
  readonly remarks?: string;
}

/** How the runs of a report were made. */
export interface RunDescription {
  /** Command that generates the report again. */
  readonly command: string;
  /** Seeds of the runs; each contender ran once with each. */
  readonly seeds: readonly string[];
}

/** The page of one world. */
export function worldPage({ world, standings, chart, chartSeed, remarks }: WorldReport, { seeds }: RunDescription): string {
  const verdicts = judge(standings, 'adaptive');
  return page([
    `# Lab: ${world.name}`,
    generated(`npm run lab -- --world ${world.name} --seeds ${seeds.length}`, seeds),
    ...(world.description === undefined ? [] : [world.description]),
    comparisonTable(standings),
    legend,
    `![Success and requests over time, seed ${chartSeed}](${chart})`,
    ...(verdicts.length > 0 ? ['## Targets of `adaptive`', verdictTable(verdicts, false)] : []),
    ...(remarks === undefined ? [] : [remarks]),
    '## The world',
    `\`\`\`json\n${JSON.stringify({ ...world, description: undefined }, (_key, value: unknown) => (value === Infinity ? 'Infinity' : value), 2)}\n\`\`\``,
  ]);
}

/** The overview page: every target of every world, met or missed. */
export function summaryPage(
  judged: readonly WorldReport[],
  others: readonly WorldReport[],
  run: RunDescription,
  fewSeeds: number,
  remarks: readonly string[],
): string {
  const verdicts = judged.flatMap(({ standings }) => judge(standings, 'adaptive'));
  const missed = verdicts.filter(({ met }) => !met);
  const ofOthers = others.flatMap(({ standings }) => judge(standings, 'adaptive'));
  const missedThere = ofOthers.filter(({ met }) => !met);
  return page([
    '# The lab: policies in simulated outages',
    generated(run.command, run.seeds),
    `200 agents call tools whose service fails in different ways. Here all agents share one process and its policy; [the same scenarios in 10, 60 and 200 processes](./topologies.md),
and [500 generated worlds](./random.md). [How the peers are modelled](./peers.md), and how the real packages compare with their models; [the effect of each part of
\`adaptive\`](./ablation.md).`,
    '## Targets of `adaptive`',
    `${verdicts.length - missed.length} of ${verdicts.length} targets are met.`,
    verdictTable(verdicts, true),
    `## Other worlds, with the same targets (${fewSeeds} seeds)`,
    `${ofOthers.length - missedThere.length} of ${ofOthers.length} targets are met.${missedThere.length > 0 ? ' Missed:' : ''}`,
    ...(missedThere.length > 0 ? [verdictTable(missedThere, true)] : []),
    '## Success, %',
    matrix([...judged, ...others], 'success'),
    '## Success in the 30 s after the fault, %',
    matrix(
      [...judged, ...others].filter(({ standings }) => standings.some(({ after30s }) => after30s !== undefined)),
      'after30s',
    ),
    ...remarks,
    '## Every world',
    [...judged, ...others]
      .map(({ world }) => `- [${world.name}](./${world.name}.md)${world.description === undefined ? '' : `: ${world.description}`}`)
      .join('\n'),
  ]);
}

/** The models and the sources of their defaults. */
export function peersPage(models: readonly PeerModel[], beside: string, { command, seeds }: RunDescription): string {
  return page([
    '# Lab: the peers',
    generated(command, seeds),
    `A model sees what its library would see: whether an attempt succeeded, the status, \`Retry-After\` if the library reads it, the clock. Every attempt has the tool's
time limit (5 s), and callers give up at the turn's deadline (60 s). All agents share one policy per tool.`,
    markdownTable(
      ['model', 'configuration', 'source of its defaults'],
      models.map(({ name, configuration, source }) => [name, configuration, source]),
      false,
    ),
    '## Models compared with the real packages',
    beside,
  ]);
}

function verdictTable(verdicts: readonly Verdict[], named: boolean): string {
  return markdownTable(
    [...(named ? ['world'] : []), 'wanted', 'seen', 'the best of the others', ''],
    verdicts.map(({ world, wanted, seen, best, met }) => [
      ...(named ? [`[${world}](./${world}.md)`] : []),
      wanted,
      seen,
      best,
      met ? 'met' : '**missed**',
    ]),
    false,
  );
}

function matrix(reports: readonly WorldReport[], name: 'success' | 'after30s'): string {
  const contenders = [...new Set(reports.flatMap(({ standings }) => standings.map(({ contender }) => contender)))];
  return markdownTable(
    ['world', ...contenders],
    reports.map(({ world, standings }) => [
      `[${world.name}](./${world.name}.md)`,
      ...contenders.map((contender) => {
        const figure = standings.find((standing) => standing.contender === contender)?.[name];
        return figure ? (figure.mean * 100).toFixed(1) : '–';
      }),
    ]),
  );
}

function generated(command: string, seeds: readonly string[]): string {
  const named = seeds.length > 1 ? `seeds \`${seeds[0]}\` to \`${seeds.at(-1)}\`` : `seed \`${seeds[0]}\``;
  return `Written by \`${command}\` (${named}), never by hand. The same command writes the same figures on every machine.`;
}

const legend = `Means over the seeds, ± their standard deviation. *during*: turns begun during the fault, and requests sent per call begun meanwhile; *30 s after*: turns begun in
the 30 s after it; *failed wait*: duration of turns that failed; *recovery*: from the end of the fault until new turns succeed (95 %) within 2 s and continue to do so.`;

function page(parts: readonly string[]): string {
  return `${parts.join('\n\n')}\n`;
}
