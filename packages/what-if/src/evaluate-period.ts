/** Owns evaluating the turns of one period: which of them a change can reach, how they run together, and which of them depend on unobserved attempts. */
import { turnOf, boundsOf } from './bounds.ts';
import { Doubts } from './gate-doubt.ts';
import { exactRange, hull, ranges, type TurnFigures, turnFigures, widen } from './figures.ts';
import { loadSigns, marksOf, signsOf } from './load.ts';
import { plannedCalls, type ReadTurn } from './read-turns.ts';
import { type RanTurn, runTurns } from './run-turns.ts';
import { changedSetting, changedTools, gateWaitMs, type Setting, affectsAll, type SettingsPeriod, toolsOfCall } from './settings-of.ts';
import { type Spans, unionSpans, touches } from './spans.ts';
import type { LeftOut, PolicyChanges, WhatIfTurn } from './types.ts';
import type { UnknownOutcome } from './unknown-outcomes.ts';

export interface EvaluateOptions {
  readonly changes: PolicyChanges;
  readonly sameMomentMs: number;
  readonly maxUnknown: number;
  /** Throws to end the evaluation. */
  readonly check: () => void;
  readonly onTurn: () => void;
}

export interface PeriodResult {
  readonly turns: readonly WhatIfTurn[];
  readonly leftOut: readonly LeftOut[];
  readonly unknownTurns: number;
  readonly doubtedTools: readonly string[];
  readonly loadedTools: readonly string[];
  readonly inconsistentTools: readonly string[];
}

interface OneRun {
  readonly ran: ReadonlyMap<string, RanTurn>;
  readonly doubts: Doubts;
}

interface Runs {
  readonly runs: readonly OneRun[];
  readonly marks: Spans;
  readonly doubt: Spans;
}

const nothing: Spans = new Map();
const sharedWays: readonly UnknownOutcome[] = ['succeeds', 'fails', 'hangs'];
const maxPasses = 4;

export function evaluatePeriod(period: SettingsPeriod, options: EvaluateOptions): PeriodResult {
  const { turns, recorded } = period;
  const { changes, onTurn, check } = options;
  const setting = changedSetting(recorded, changes);
  const reached = reachedTurns(turns, recorded, setting);
  if (reached.size === 0) {
    for (const _ of turns) onTurn();
    return { turns: turns.map(asRecorded), leftOut: [], unknownTurns: 0, doubtedTools: [], loadedTools: [], inconsistentTools: [] };
  }
  const inconsistent = findInconsistencies(period, options);
  const together = runTogether(period, setting, options, inconsistent);
  const answers: WhatIfTurn[] = [];
  const leftOut: LeftOut[] = [];
  let unknownTurns = 0;
  for (const turn of turns) {
    check();
    const answer = reached.has(turn.turnId) ? evaluateTurn(turn, { period, setting, together, options }) : asRecorded(turn);
    if ('reason' in answer) leftOut.push(answer);
    else {
      answers.push(answer);
      if (answer.observedShare < 1) unknownTurns += 1;
    }
    onTurn();
  }
  const { doubt, marks } = together;
  return {
    turns: answers,
    leftOut,
    unknownTurns,
    doubtedTools: [...doubt].filter(([, spans]) => spans.length > 0).map(([name]) => name),
    loadedTools: [...marks.keys()],
    inconsistentTools: [...inconsistent].filter(([, spans]) => spans.length > 0).map(([name]) => name),
  };
}

function asRecorded(turn: ReadTurn): WhatIfTurn {
  const recorded = recordedFigures(turn);
  return turnOf({ turn, recorded }, new Map(), exactRange(recorded.whole), exactRange(recorded.durationMs));
}

const recordedFigures = (turn: ReadTurn): TurnFigures => turnFigures(turn.recording.events, plannedCalls(turn));

/** Turns whose settings change, and those that share a tool with one of them while it may already differ. */
function reachedTurns(turns: readonly ReadTurn[], recorded: Setting, changed: Setting): ReadonlySet<string> {
  const spans = turns.map(({ turnId, recording, beganAtEpochMs: beganAt }) => ({
    turnId,
    beganAt,
    endedAt: beganAt + (recording.events.at(-1)?.elapsed_ms ?? 0),
    own: recording.graph.nodes.flatMap(({ call }) => [...toolsOfCall(recorded, call.toolName), ...toolsOfCall(changed, call.toolName)]),
  }));
  const since = new Map([...changedTools(recorded, changed)].map((name) => [name, -Infinity]));
  const reached = new Set<string>();
  for (let before = -1; before < reached.size;) {
    before = reached.size;
    for (const { turnId, beganAt, endedAt, own } of spans) {
      if (reached.has(turnId)) continue;
      const first = Math.min(...own.map((name) => since.get(name) ?? Infinity));
      if (first > endedAt) continue;
      reached.add(turnId);
      for (const name of own) since.set(name, Math.min(since.get(name) ?? Infinity, Math.max(first, beganAt)));
    }
  }
  return reached;
}

/** When running the turns again unchanged does not lead to the record: their gates were affected by more than these turns. */
function findInconsistencies({ turns, recorded }: SettingsPeriod, options: EvaluateOptions): Spans {
  const doubts = new Doubts(recorded, options.sameMomentMs, true);
  const ran = run(turns, recorded, options, 'succeeds', nothing, doubts);
  const unused = new Map<string, { from: number; to: number }[]>();
  for (const { turn, used, beganAt } of ran.values())
    for (const seen of turn.seen)
      if (!used.has(seen))
        unused.set(seen.toolName, [
          { from: Math.min(beganAt + seen.startedAt, unused.get(seen.toolName)?.[0]?.from ?? Infinity), to: Infinity },
        ]);
  return unionSpans(doubts.spans(), unused);
}

function run(
  turns: readonly ReadTurn[],
  setting: Setting,
  { sameMomentMs, maxUnknown, check }: EvaluateOptions,
  way: UnknownOutcome,
  marks: Spans,
  listener: Doubts,
): ReadonlyMap<string, RanTurn> {
  check();
  const [first] = turns;
  return runTurns({
    turns,
    setting,
    originEpochMs: first?.beganAtEpochMs ?? 0,
    wayOf: () => way,
    isMarked: (name, from, to) => touches(marks, name, { from, to }),
    isInDoubt: () => false,
    sameMomentMs,
    maxUnknown,
    listener,
  });
}

/** Runs all turns in one world, in each of the extreme ways; repeated until it is known when load makes observations unreliable. */
function runTogether({ turns }: SettingsPeriod, setting: Setting, options: EvaluateOptions, inconsistent: Spans): Runs {
  let signs = loadSigns(turns, turns[0]?.beganAtEpochMs ?? 0);
  let marks = nothing;
  for (let pass = 1; ; pass++) {
    const runs = sharedWays.map((way) => {
      const doubts = new Doubts(setting, options.sameMomentMs);
      return { ran: run(turns, setting, options, way, marks, doubts), doubts };
    });
    const [best] = runs;
    if (best) signs = signsOf(signs, best.ran.values());
    const further = unionSpans(marks, ...runs.map(({ ran, doubts }) => marksOf(signs, ran.values(), doubts.deviations)));
    if (sameSpans(marks, further) || pass > maxPasses) {
      const limits = runs.map(({ ran, doubts }) => limitsInDoubt(ran, doubts));
      return { runs, marks, doubt: unionSpans(inconsistent, ...runs.map(({ doubts }) => doubts.spans()), ...limits) };
    }
    marks = pass < maxPasses ? further : openEnded(further);
  }
}

const sameSpans = (one: Spans, other: Spans): boolean => JSON.stringify([...one]) === JSON.stringify([...other]);

const openEnded = (spans: Spans): Spans =>
  new Map([...spans].map(([name, own]) => [name, own.slice(0, 1).map(({ from }) => ({ from, to: Infinity }))]));

/** A limit that was reached after the first unknown attempt of its tool may have let other calls through. */
function limitsInDoubt(ran: ReadonlyMap<string, RanTurn>, doubts: Doubts): Spans {
  const found = new Map<string, { from: number; to: number }[]>();
  for (const { trace } of ran.values())
    for (const { toolName, at } of trace.limited) {
      const since = doubts.firstUnknown(toolName);
      if (since !== undefined && at >= since) found.set(toolName, [{ from: since, to: Infinity }]);
    }
  return found;
}

interface TurnContext {
  readonly period: SettingsPeriod;
  readonly setting: Setting;
  readonly together: Runs;
  readonly options: EvaluateOptions;
}

function evaluateTurn(turn: ReadTurn, { period, setting, together: { runs, marks, doubt }, options }: TurnContext): WhatIfTurn | LeftOut {
  const ran = runs.map((each) => each.ran.get(turn.turnId) as RanTurn);
  const { sameMomentMs, maxUnknown } = options;
  if (ran.some(({ settled, unknown }) => !settled || unknown > maxUnknown)) return tooMuch(turn, maxUnknown);
  const shared = ran.map(({ trace }) => trace.figures);
  const recorded = recordedFigures(turn);
  const { loose, doubted } = dependsOnUnknown(turn, ran, shared, { setting, doubt, sameMomentMs });
  if (loose.size === 0) return turnOf({ turn, recorded }, hulls(shared), hullOf(shared, 'whole'), hullOf(shared, 'durationMs'));
  return boundsOf({
    turn,
    setting,
    recorded,
    shared,
    loose,
    doubted,
    firstMs: observedFirsts(turn, ran),
    alone: {
      originEpochMs: period.turns[0]?.beganAtEpochMs ?? 0,
      isMarked: (name, from, to) => touches(marks, name, { from, to }),
      // Alone, an attempt is made at once; with others it may wait until its gate is in doubt.
      isInDoubt: (name, now) => touches(doubt, name, { from: now, to: now + gateWaitMs(setting, name) }),
      sameMomentMs,
      maxUnknown,
    },
  });
}

function observedFirsts({ recording, seenOf }: ReadTurn, ran: readonly RanTurn[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const { callId, call } of recording.graph.nodes) {
    const [first] = seenOf.get(`${callId} ${call.toolName}`) ?? [];
    if (first?.outcome && ran.every(({ used }) => used.has(first))) found.set(callId, first.endedAt - first.startedAt);
  }
  return found;
}

const tooMuch = ({ turnId, index }: ReadTurn, maxUnknown: number): LeftOut => ({
  turnId,
  index,
  reason: 'too_much',
  message: `under these settings, the turn does not end, or makes more than ${maxUnknown} attempts that are not in the record; set a time limit for the turn or its tools`,
});

const hulls = (shared: readonly TurnFigures[]): ReadonlyMap<string, ReturnType<typeof ranges>> => {
  const [first, ...others] = shared;
  return new Map(
    [...(first?.calls ?? [])].map(([callId, figures]) => [
      callId,
      others.reduce((all, { calls }) => widen(all, ranges(calls.get(callId) ?? figures)), ranges(figures)),
    ]),
  );
};

const hullOf = (shared: readonly TurnFigures[], name: 'whole' | 'durationMs'): ReturnType<typeof exactRange> =>
  shared.map((each) => exactRange(each[name])).reduce(hull);

/** A figure that differs between the extremes is certainly in doubt; an equal one may be. */
function isOtherwise([first, ...others]: readonly TurnFigures[], callId: string): boolean {
  const { requests, succeeded } = first?.calls.get(callId) ?? {};
  return others.some(({ calls }) => calls.get(callId)?.requests !== requests || calls.get(callId)?.succeeded !== succeeded);
}

interface Depending {
  readonly loose: ReadonlySet<string>;
  readonly doubted: ReadonlySet<string>;
}

interface DependingOptions {
  readonly setting: Setting;
  readonly doubt: Spans;
  readonly sameMomentMs: number;
}

function dependsOnUnknown(
  turn: ReadTurn,
  ran: readonly RanTurn[],
  shared: readonly TurnFigures[],
  { setting, doubt, sameMomentMs }: DependingOptions,
): Depending {
  const { nodes } = turn.recording.graph;
  const doubted = new Set<string>();
  const loose = new Set(ran.flatMap((each) => [...each.loose]));
  const beganAt = ran[0]?.beganAt ?? 0;
  for (const { callId, call } of nodes) {
    const inDoubt = shared.some(({ calls }) => {
      const figures = calls.get(callId);
      if (!figures || Number.isNaN(figures.beganAt)) return false;
      const from = beganAt + figures.beganAt;
      return toolsOfCall(setting, call.toolName).some((name) => touches(doubt, name, { from, to: from + figures.timeMs }));
    });
    if (inDoubt || isOtherwise(shared, callId)) doubted.add(callId);
  }
  for (const callId of doubted) loose.add(callId);
  const longest = { from: beganAt, to: beganAt + Math.max(...shared.map(({ durationMs }) => durationMs)) };
  const isShared = loose.size > 0 && affectsAll(sameMomentMs)(turn, setting);
  for (const { callId, dependsOn, call } of nodes) {
    if (!isShared && !loose.has(callId) && !dependsOn.some((id) => loose.has(id))) continue;
    loose.add(callId);
    // With a gate in doubt it may begin later than in any of the runs.
    if (toolsOfCall(setting, call.toolName).some((name) => touches(doubt, name, longest))) doubted.add(callId);
  }
  return { loose, doubted };
}
