/**
 * Owns the search for better settings of one tool: candidates are tried in lab worlds that are fitted to the record, and the best of them evaluated on the
 * record itself. It changes nothing: its result is for a person to review.
 *
 * 1. The same traces, seed and limits give the same result.
 * 2. At most `maxCandidates` are tried; if cancelled, it returns what it has.
 */
import { checkOptions, count, refuse, type Fields } from '@holdfast/core/internal/plain';
import { profiles, type ToolPolicy, type ToolSettings } from '@holdfast/core';
import { resolveSettings } from '@holdfast/core/internal';
import { holdfast } from '../holdfast/holdfast.ts';
import type { RunMetrics } from '../metrics/metrics.ts';
import { simulate } from '../run/simulation.ts';
import { summarize } from '../run/summary.ts';
import { type ReadTurn, readTurns, whatIf } from '@holdfast/what-if';
import { axesOf, combine, differing, halfway, isApart, keyOf, wordsOf } from './candidates.ts';
import { type Fit, fitTool } from './fit.ts';
import { cost, frontOf, recommend } from './front.ts';
import type { HistoryFigures, LabFigures, Tuned, TuneOptions, TunePoint, TuneProgress } from './types.ts';

const usual = { seed: 'tune', seeds: 2, maxCandidates: 40, maxTurns: 1_000 } as const;

interface Candidate {
  readonly changes: ToolPolicy;
  /** Includes a profile, whose numbers are balanced with each other. */
  readonly isWhole: boolean;
}

interface Tried extends Candidate {
  readonly words: readonly string[];
  readonly lab: LabFigures;
  /** The lab figures in the worlds that the record shows. */
  readonly withoutAssumed: LabFigures;
}

const tuneFields: Fields = {
  toolName: 'string',
  traces: (value, field) => {
    if (!Array.isArray(value)) refuse(field, value, 'an array of turns, each an array of events', '');
  },
  seed: 'string',
  seeds: count,
  maxCandidates: count,
  maxTurns: count,
  onProgress: 'function',
  isCancelled: 'function',
  pause: 'function',
};

/**
 * Searches for better settings for one tool.
 * Tries candidates in worlds fitted to the recorded attempts, then checks the best of them against the recorded turns.
 * @throws RangeError when no trace contains the tool.
 */
export async function tune(options: TuneOptions): Promise<Tuned> {
  checkOptions(tuneFields, options, 'tune', ['toolName', 'traces']);
  const { toolName: tool, traces, maxTurns = usual.maxTurns } = options;
  const { turns, leftOut } = readTurns(traces);
  const own = turns.filter(({ recording }) => recording.graph.nodes.some(({ call }) => call.toolName === tool));
  const last = own.at(-1);
  if (!last)
    throw new RangeError(
      `tune: no recorded turn plans a call of '${tool}'. Name one of ${plannedTools(turns)}, or record some turns first.`,
    );
  const current = last.recording.tools[tool] ?? profiles.spec.tool;
  const fit = fitTool(own, tool, current);
  const search = createSearch(options, current, fit);
  const cancelled = await search.run();
  const events = own.slice(-maxTurns).map(({ recording }) => recording.events);
  const tried = [...search.tried.values()].toSorted((one, other) => one.lab.requestsPerCall - other.lab.requestsPerCall);
  const front = frontOf(tried.toSorted((one, other) => one.words.length - other.words.length));
  const points: TunePoint[] = [];
  const evaluated = tried.filter((each) => front.has(each) || isCurrent(each));
  for (const each of tried) {
    const { changes, words, lab } = each;
    const isEvaluated = evaluated.includes(each) && !(options.isCancelled?.() ?? false);
    const history = isEvaluated ? historyOf(events, tool, changes) : undefined;
    if (isEvaluated)
      await reportProgress(options, {
        stage: 'history',
        done: points.filter((point) => point.history).length + 1,
        total: evaluated.length,
      });
    points.push({ changes, words, lab, ...(history ? { history } : {}), onFront: front.has(each) });
  }
  const place = points.find(isCurrent) as TunePoint;
  const withoutAssumed = (point: TunePoint): LabFigures => tried[points.indexOf(point)]?.withoutAssumed ?? point.lab;
  const turnCounts = { all: own.length, evaluated: events.length };
  const recommended = recommend({ current: place, points, fit, withoutAssumed, turns: turnCounts });
  return { toolName: tool, fitted: fit.fitted, current: place, points, ...(recommended ? { recommended } : {}), leftOut, cancelled };
}

const isCurrent = ({ changes }: { readonly changes: ToolPolicy }): boolean => Object.keys(changes).length === 0;

const plannedTools = (turns: readonly ReadTurn[]): string =>
  [...new Set(turns.flatMap(({ recording }) => recording.graph.nodes.map(({ call }) => call.toolName)))].toSorted().join(', ') ||
  'none yet';

interface Search {
  readonly tried: ReadonlyMap<string, Tried>;
  /** Whether the search was cancelled. */
  run(): Promise<boolean>;
}

function createSearch(options: TuneOptions, current: ToolSettings, fit: Fit): Search {
  const { maxCandidates = usual.maxCandidates, isCancelled } = options;
  const tried = new Map<string, Tried>();
  const attempt = async ({ changes, isWhole }: Candidate): Promise<boolean> => {
    const settings = resolveSettings(current, changes);
    const key = keyOf(settings);
    if (tried.has(key)) return true;
    if (tried.size >= maxCandidates || (tried.size > 0 && isCancelled?.())) return false;
    const differ = differing(current, changes);
    tried.set(key, { changes: differ, isWhole, words: wordsOf(current, differ), ...labFigures(settings, options, fit) });
    await reportProgress(options, { stage: 'lab', done: tried.size, total: maxCandidates });
    return true;
  };
  const all = async (candidates: readonly Candidate[]): Promise<void> => {
    for (const each of candidates) if (!(await attempt(each))) return;
  };
  const best = (): readonly Tried[] => [...tried.values()].toSorted((one, other) => cost(one.lab) - cost(other.lab));
  return {
    tried,
    async run() {
      await attempt({ changes: {}, isWhole: false });
      await all(
        axesOf(current, fit.fitted).flatMap(({ name, values }) => values.map((changes) => ({ changes, isWhole: name === 'profile' }))),
      );
      const leading = best()
        .filter((each) => !isCurrent(each))
        .slice(0, 5);
      const firsts = new Set([leading[0], leading.find((each) => !each.isWhole)]);
      for (const first of firsts)
        if (first) await all(leading.flatMap((other) => (other === first ? [] : combineCandidates(first, other))));
      const parts = best().filter((each) => !each.isWhole && !isCurrent(each));
      await all(parts.slice(0, 2).map(({ changes }) => ({ changes: halfway(current, changes), isWhole: false })));
      return isCancelled?.() ?? false;
    },
  };
}

/** Profiles are not combined with single settings. */
function combineCandidates(one: Candidate, other: Candidate): readonly Candidate[] {
  const isWhole = one.isWhole || other.isWhole;
  if (isWhole && !isApart(one.changes, other.changes)) return [];
  return [{ changes: combine(one.changes, other.changes), isWhole }];
}

async function reportProgress({ onProgress, pause }: TuneOptions, progress: TuneProgress): Promise<void> {
  onProgress?.(progress);
  await pause?.();
}

/** Without alternatives and fallback: the tool itself is tuned. */
function labFigures(
  settings: ToolSettings,
  { toolName: tool, seed = usual.seed, seeds = usual.seeds }: TuneOptions,
  { worlds, assumed, meanMs }: Fit,
): Pick<Tried, 'lab' | 'withoutAssumed'> {
  const policy: ToolPolicy = { ...settings, alternatives: [], fallback: undefined };
  const contender = holdfast({ profile: 'spec', tools: { [tool]: policy } });
  const runs = worlds.flatMap((world) =>
    Array.from({ length: seeds }, (_, index) => ({ world, metrics: simulate(world, contender, `${seed} ${index}`) })),
  );
  return {
    lab: meansOf(runs, meanMs),
    withoutAssumed: meansOf(
      runs.filter(({ world }) => !assumed.has(world)),
      meanMs,
    ),
  };
}

/** Means over worlds and seeds. */
function meansOf(runs: readonly { readonly metrics: RunMetrics }[], meanMs: number): LabFigures {
  const means = summarize(runs.map(({ metrics }) => metrics));
  return {
    success: means.callSuccess ?? 0,
    requestsPerCall: means.requestsPerCall ?? 0,
    addedLatencyMs: (means.meanMs ?? 0) - meanMs,
    p99Ms: Math.max(0, ...runs.map(({ metrics }) => metrics.p99Ms ?? 0)),
  };
}

function historyOf(events: Parameters<typeof whatIf>[0], tool: string, changes: ToolPolicy): HistoryFigures {
  const figures = whatIf(events, { tools: { [tool]: changes } }).tools[tool];
  if (!figures)
    return { success: { low: 0, high: 1 }, requestsPerCall: { low: 0, high: 0 }, meanMs: { low: 0, high: 0 }, observedShare: 0 };
  const { calls, changed, observedShare } = figures;
  const perCall = ({ low, high }: { readonly low: number; readonly high: number }): { readonly low: number; readonly high: number } => ({
    low: low / calls,
    high: high / calls,
  });
  return {
    success: perCall(changed.succeeded),
    requestsPerCall: perCall(changed.requests),
    meanMs: perCall(changed.timeMs),
    observedShare,
  };
}
