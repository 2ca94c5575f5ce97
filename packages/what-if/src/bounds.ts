/**
 * Owns the bounds of a turn that depends on unobserved attempts: it is run alone in every extreme way, and each of its calls separately against the best of the
 * others, so that the real result lies within the bounds whatever the mixture.
 */
import { type CallFigures, compareFigures, exactRange, hull, ranges, sum, type TurnFigures, widen } from './figures.ts';
import type { ReadTurn } from './read-turns.ts';
import { type RanTurn, type RunOptions, runTurns } from './run-turns.ts';
import {
  callSpanMs,
  gateWaitMs,
  type Setting,
  settingsOf,
  toolsOfCall,
  sharesRetriesOrSlots,
  turnSettings,
  withoutGates,
} from './settings-of.ts';
import type { Figures, Range, WhatIfTurn } from './types.ts';
import type { UnknownOutcome } from './unknown-outcomes.ts';

type RunAlone = Omit<RunOptions, 'turns' | 'setting' | 'wayOf' | 'listener'>;

type GraphNode = ReadTurn['recording']['graph']['nodes'][number];

interface BoundOptions {
  readonly turn: ReadTurn;
  readonly setting: Setting;
  readonly recorded: TurnFigures;
  /** The turn together with the others, with all unknown attempts succeeding, failing, and hanging. */
  readonly shared: readonly TurnFigures[];
  /** Calls that depend on unobserved attempts. */
  readonly loose: ReadonlySet<string>;
  /** Those of them that may be refused. */
  readonly doubted: ReadonlySet<string>;
  /** Duration of a call's first attempt, if it was observed. */
  readonly firstMs: ReadonlyMap<string, number>;
  readonly alone: RunAlone;
}

/** Up to this many calls are tried one by one; with more, their bounds come from the settings alone. */
const maxOneByOne = 12;

const ways: readonly UnknownOutcome[] = ['succeeds', 'fails', 'hangs', 'fails_for_good'];

export function boundsOf(options: BoundOptions): WhatIfTurn {
  const { turn, setting, shared, loose, doubted, alone } = options;
  const { nodes } = turn.recording.graph;
  const gateless = withoutGates(setting);
  // Retries and slots that others of the turn do not use may be available to a call, sooner.
  const unlimited = { ...gateless, turn: { ...gateless.turn, maxRetries: null } };
  const alternatives =
    nodes.length > turnSettings(turn, setting).concurrency
      ? [unlimited, { ...unlimited, turn: { ...unlimited.turn, concurrency: Infinity } }]
      : [unlimited];
  // Others make it wait or not; what becomes of it does not depend on anything unknown.
  const isCertain = (callId: string): boolean => !loose.has(callId);
  const run = (wayOf: RunOptions['wayOf'], under: Setting = gateless, isMoved?: RunOptions['isMoved']): TurnFigures =>
    (runTurns({ ...alone, turns: [turn], setting: under, wayOf, isMoved, isCertain }).get(turn.turnId) as RanTurn).trace.figures;
  const seen = [...shared, ...ways.map((way) => run(() => way))];
  for (const own of doubted.size > 0 ? refusals(turn, setting) : [])
    seen.push(run((callId, toolName) => (doubted.has(callId) ? own(callId, toolName) : 'succeeds')));
  const isShared = sharesRetriesOrSlots(turn, setting);
  const dependent = nodes.filter(({ callId, dependsOn }) => loose.has(callId) && (isShared || dependsOn.some((id) => loose.has(id))));
  const isMoved = mayMove(options, dependent);
  if (isMoved) seen.push(...ways.map((way) => run(() => way, gateless, isMoved)));
  const oneByOne = dependent.slice(0, maxOneByOne).flatMap(({ callId }) => {
    const own: readonly RunOptions['wayOf'][] = [() => 'fails', () => 'hangs', ...(doubted.has(callId) ? refusals(turn, setting) : [])];
    return own.flatMap((way) =>
      alternatives.map((under) => run((each, toolName) => (each === callId ? way(each, toolName) : 'succeeds'), under, isMoved)),
    );
  });
  seen.push(...oneByOne);
  const unbounded = new Set(dependent.slice(maxOneByOne).map(({ callId }) => callId));
  const changed = new Map<string, Figures<Range>>();
  for (const { callId, call } of nodes) {
    const [first, ...others] = seen.map(({ calls }) => calls.get(callId) as CallFigures);
    let figures = ranges(first as CallFigures);
    for (const other of loose.has(callId) ? others : others.slice(0, shared.length - 1)) figures = widen(figures, ranges(other));
    if (unbounded.has(callId)) figures = widen(figures, widestOf(setting, call.toolName));
    if (loose.has(callId)) figures = { ...figures, timeMs: longest(figures.timeMs, options, callId, call.toolName) };
    if (doubted.has(callId)) {
      const waiting = withWaits(figures.timeMs, options, call.toolName);
      // A circuit that opens ends the delay before a retry at once.
      const timeMs = { ...waiting, low: Math.min(waiting.low, options.firstMs.get(callId) ?? 0) };
      figures = withProbes({ ...figures, timeMs }, options, call.toolName);
    }
    changed.set(callId, figures);
  }
  const seenWhole = seen.map((each) => exactRange(each.whole)).reduce(hull);
  // No single run has to show the best result of every call at once.
  const mayAll = nodes.every(({ callId, call }) => call.optional === true || changed.get(callId)?.succeeded.high === 1);
  const whole = { low: seenWhole.low, high: mayAll ? 1 : seenWhole.high };
  const durations = seen.map((each) => exactRange(each.durationMs)).reduce(hull);
  return turnOf(options, changed, whole, {
    low: Math.min(durations.low, pathMs(options, changed, 'low')),
    high: Math.max(durations.high, pathMs(options, changed, 'high')),
  });
}

/** Attempts of calls that begin after others, and those that wait at a gate in doubt, may be made at other moments than the recorded ones. */
function mayMove({ turn, setting, doubted, alone }: BoundOptions, dependent: readonly GraphNode[]): RunOptions['isMoved'] {
  if (alone.sameMomentMs === Infinity) return undefined;
  const later = new Set(dependent.map(({ callId }) => callId));
  const waits = turn.recording.graph.nodes.some(
    ({ callId, call }) => doubted.has(callId) && toolsOfCall(setting, call.toolName).some((name) => gateWaitMs(setting, name) > 0),
  );
  if (later.size === 0 && !waits) return undefined;
  return (callId, toolName, now) => {
    if (later.has(callId)) return true;
    return doubted.has(callId) && gateWaitMs(setting, toolName) > 0 && alone.isInDoubt(toolName, now);
  };
}

/** Either all tools of a call may refuse, or only the requested one: then its alternatives decide. */
function refusals({ recording }: ReadTurn, setting: Setting): readonly RunOptions['wayOf'][] {
  const planned = new Map(recording.graph.nodes.map(({ callId, call }) => [callId, call.toolName]));
  const standIns = [...planned.values()].some((toolName) => toolsOfCall(setting, toolName).length > 1);
  const after: readonly UnknownOutcome[] = standIns ? ['succeeds', 'fails', 'hangs'] : [];
  return [
    () => 'refused',
    ...after.map(
      (way): RunOptions['wayOf'] =>
        (callId, toolName) =>
          planned.get(callId) === toolName ? 'refused' : way,
    ),
  ];
}

export function turnOf(
  { turn, recorded }: Pick<BoundOptions, 'turn' | 'recorded'>,
  changed: ReadonlyMap<string, Figures<Range>>,
  whole: Range,
  duration: Range,
): WhatIfTurn {
  const parts = turn.recording.graph.nodes.map(({ callId, call }) => {
    const own = recorded.calls.get(callId) as CallFigures;
    return { callId, toolName: call.toolName, ...compareFigures(countsOnly(own), changed.get(callId) ?? ranges(own)) };
  });
  return {
    turnId: turn.turnId,
    ...sum(parts),
    whole: { recorded: recorded.whole, changed: whole },
    duration: { recorded: recorded.durationMs, changed: duration },
    parts,
  };
}

const countsOnly = ({ succeeded, failed, skipped, requests, retries, timeMs }: CallFigures): Figures<number> => ({
  succeeded,
  failed,
  skipped,
  requests,
  retries,
  timeMs,
});

/** Whatever an attempt does, the settings allow no more than this. */
function widestOf(setting: Setting, toolName: string): Figures<Range> {
  const all = toolsOfCall(setting, toolName).map((name) => settingsOf(setting, name));
  const attempts = all.reduce((total, { retry, hedge }) => total + retry.maxAttempts * (hedge === false ? 1 : 1 + hedge.maxHedges), 0);
  return {
    succeeded: { low: 0, high: 1 },
    failed: { low: 0, high: 1 },
    skipped: { low: 0, high: 1 },
    requests: { low: 0, high: attempts },
    retries: { low: 0, high: attempts },
    timeMs: { low: 0, high: callSpanMs(setting, toolName) },
  };
}

/** The last of its attempts may begin as late as settings allow, and hang. */
function longest(time: Range, { turn, setting, firstMs }: BoundOptions, callId: string, toolName: string): Range {
  const { timeoutMs } = turnSettings(turn, setting);
  const most = Math.min(callSpanMs(setting, toolName, firstMs.get(callId)), timeoutMs ?? Infinity);
  return { low: time.low, high: Math.max(time.high, most) };
}

/** Where calls may wait at a gate in doubt, only the deadline limits how long. */
function withWaits(time: Range, { turn, setting }: BoundOptions, toolName: string): Range {
  const waits = toolsOfCall(setting, toolName).map((name) => gateWaitMs(setting, name) * (settingsOf(setting, name).retry.maxAttempts + 1));
  const { timeoutMs } = turnSettings(turn, setting);
  const most = Math.max(0, ...waits);
  return most === 0 ? time : { low: time.low, high: Math.max(time.high, Math.min(time.high + most, timeoutMs ?? Infinity)) };
}

/** A call that waits for recovery may probe the circuit as often as it opens meanwhile; probes do not count as its attempts. */
function withProbes(figures: Figures<Range>, { turn, setting }: BoundOptions, toolName: string): Figures<Range> {
  const { timeoutMs } = turnSettings(turn, setting);
  const probes = toolsOfCall(setting, toolName).reduce((total, name) => {
    const { waitForRecovery, breaker } = settingsOf(setting, name);
    if (!waitForRecovery || breaker === false) return total;
    return total + Math.ceil(Math.min(waitForRecovery.maxWaitMs, timeoutMs ?? Infinity) / breaker.openMs) + 1;
  }, 0);
  if (probes === 0) return figures;
  const more = ({ low, high }: Range): Range => ({ low, high: high + probes });
  return { ...figures, requests: more(figures.requests), retries: more(figures.retries) };
}

/** Adds up the calls along their dependencies, each at its shortest or longest; the deadline ends the turn. */
function pathMs({ turn, setting }: BoundOptions, changed: ReadonlyMap<string, Figures<Range>>, end: keyof Range): number {
  const { nodes } = turn.recording.graph;
  const { concurrency, timeoutMs } = turnSettings(turn, setting);
  const ends = new Map<string, number>();
  let all = 0;
  for (const { callId, dependsOn } of nodes) {
    const tookMs = changed.get(callId)?.timeMs[end] ?? 0;
    all += tookMs;
    ends.set(callId, Math.max(0, ...dependsOn.map((id) => ends.get(id) ?? 0)) + tookMs);
  }
  const longest = end === 'high' && nodes.length > concurrency ? all : Math.max(0, ...ends.values());
  return Math.min(longest, timeoutMs ?? Infinity);
}
