/** Owns asking the turns of one stretch of history: which of them a change can reach, how they go together, and which of them depend on what is unknown. */
import { answered, boundsOf, figuresOf } from './bounds.ts';
import { Doubts } from './doubt.ts';
import { exactly, hull, ranges, type TurnFigures, turnFigures, widen } from './figures.ts';
import { loadSigns, marksOf, signsOf } from './load.ts';
import { plannedCalls, type ReadTurn } from './read-turns.ts';
import { type RanTurn, runTurns } from './run-turns.ts';
import { changedSetting, changedTools, type Setting, sharesRetriesOrSlots, type Stretch, toolsOfCall } from './settings-of.ts';
import { type Spans, unionSpans, touches } from './spans.ts';
import type { LeftOut, PolicyChanges, WhatIfTurn } from './types.ts';
import type { Way } from './unknown.ts';

export interface AskOptions {
  readonly changes: PolicyChanges;
  readonly sameMomentMs: number;
  readonly mostUnknown: number;
  /** Throws when the asking is to end. */
  readonly check: () => void;
  readonly onTurn: () => void;
}

export interface Asked {
  readonly turns: readonly WhatIfTurn[];
  readonly leftOut: readonly LeftOut[];
  readonly unknownTurns: number;
  readonly doubtedTools: readonly string[];
  readonly loadedTools: readonly string[];
  readonly strangeTools: readonly string[];
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
const sharedWays: readonly Way[] = ['succeeds', 'fails', 'hangs'];
const mostPasses = 4;

export function askStretch(stretch: Stretch, options: AskOptions): Asked {
  const { turns, recorded } = stretch;
  const { changes, onTurn, check } = options;
  const setting = changedSetting(recorded, changes);
  const reached = reachedTurns(turns, recorded, setting);
  if (reached.size === 0) {
    for (const _ of turns) onTurn();
    return { turns: turns.map(asRecorded), leftOut: [], unknownTurns: 0, doubtedTools: [], loadedTools: [], strangeTools: [] };
  }
  const strange = strangeness(stretch, options);
  const together = runTogether(stretch, setting, options, strange);
  const answers: WhatIfTurn[] = [];
  const leftOut: LeftOut[] = [];
  let unknownTurns = 0;
  for (const turn of turns) {
    check();
    const answer = reached.has(turn.turnId) ? askTurn(turn, { stretch, setting, together, options }) : asRecorded(turn);
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
    strangeTools: [...strange].filter(([, spans]) => spans.length > 0).map(([name]) => name),
  };
}

function asRecorded(turn: ReadTurn): WhatIfTurn {
  const recorded = recordedFigures(turn);
  return answered({ turn, recorded }, new Map(), exactly(recorded.whole), exactly(recorded.durationMs));
}

const recordedFigures = (turn: ReadTurn): TurnFigures => turnFigures(turn.recording.events, plannedCalls(turn));

/** Turns whose settings are otherwise, and those that share a tool with one of them later on. */
function reachedTurns(turns: readonly ReadTurn[], recorded: Setting, changed: Setting): ReadonlySet<string> {
  const reached = new Set<string>();
  const tools = new Set(changedTools(recorded, changed));
  for (const { turnId, recording } of turns) {
    const own = recording.graph.nodes.flatMap(({ call }) => [
      ...toolsOfCall(recorded, call.toolName),
      ...toolsOfCall(changed, call.toolName),
    ]);
    if (!own.some((name) => tools.has(name))) continue;
    reached.add(turnId);
    for (const name of own) tools.add(name);
  }
  return reached;
}

/** Where running the turns again as they were does not lead to what was recorded: their gates hear of more than these turns. */
function strangeness({ turns, recorded }: Stretch, options: AskOptions): Spans {
  const doubts = new Doubts(recorded, true);
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
  { sameMomentMs, mostUnknown, check }: AskOptions,
  way: Way,
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
    mayBeRefused: () => false,
    sameMomentMs,
    mostUnknown,
    listener,
  });
}

/** All turns in one world, in each of the extreme ways; again, until it is known where load makes observations unreliable. */
function runTogether({ turns }: Stretch, setting: Setting, options: AskOptions, strange: Spans): Runs {
  let signs = loadSigns(turns, turns[0]?.beganAtEpochMs ?? 0);
  let marks = nothing;
  for (let pass = 1; ; pass++) {
    const runs = sharedWays.map((way) => {
      const doubts = new Doubts(setting);
      return { ran: run(turns, setting, options, way, marks, doubts), doubts };
    });
    const [best] = runs;
    if (best) signs = signsOf(signs, best.ran.values());
    const further = unionSpans(marks, ...runs.map(({ ran, doubts }) => marksOf(signs, ran.values(), doubts.deviations)));
    if (sameSpans(marks, further) || pass > mostPasses) {
      const limits = runs.map(({ ran, doubts }) => limitsInDoubt(ran, doubts));
      return { runs, marks, doubt: unionSpans(strange, ...runs.map(({ doubts }) => doubts.spans()), ...limits) };
    }
    marks = pass < mostPasses ? further : openEnded(further);
  }
}

const sameSpans = (one: Spans, other: Spans): boolean => JSON.stringify([...one]) === JSON.stringify([...other]);

const openEnded = (spans: Spans): Spans =>
  new Map([...spans].map(([name, own]) => [name, own.slice(0, 1).map(({ from }) => ({ from, to: Infinity }))]));

/** A limit that somebody ran into after the first unknown attempt of its tool may have let others through. */
function limitsInDoubt(ran: ReadonlyMap<string, RanTurn>, doubts: Doubts): Spans {
  const found = new Map<string, { from: number; to: number }[]>();
  for (const { trace } of ran.values())
    for (const { toolName, at } of trace.limited) {
      const since = doubts.firstUnknown(toolName);
      if (since !== undefined && at >= since) found.set(toolName, [{ from: since, to: Infinity }]);
    }
  return found;
}

interface AskTurn {
  readonly stretch: Stretch;
  readonly setting: Setting;
  readonly together: Runs;
  readonly options: AskOptions;
}

function askTurn(turn: ReadTurn, { stretch, setting, together: { runs, marks, doubt }, options }: AskTurn): WhatIfTurn | LeftOut {
  const ran = runs.map((each) => each.ran.get(turn.turnId) as RanTurn);
  const { sameMomentMs, mostUnknown } = options;
  if (ran.some(({ settled, unknown }) => !settled || unknown > mostUnknown)) return tooMuch(turn, mostUnknown);
  const shared = ran.map(figuresOf);
  const recorded = recordedFigures(turn);
  const { loose, doubted } = dependsOnUnknown(turn, ran, shared, setting, doubt);
  if (loose.size === 0) return answered({ turn, recorded }, hulls(shared), hullOf(shared, 'whole'), hullOf(shared, 'durationMs'));
  return boundsOf({
    turn,
    setting,
    recorded,
    shared,
    loose,
    doubted,
    firstMs: observedFirsts(turn, ran),
    alone: {
      originEpochMs: stretch.turns[0]?.beganAtEpochMs ?? 0,
      isMarked: (name, from, to) => touches(marks, name, { from, to }),
      mayBeRefused: (name, now) => touches(doubt, name, { from: now, to: now }),
      sameMomentMs,
      mostUnknown,
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

const tooMuch = ({ turnId, index }: ReadTurn, mostUnknown: number): LeftOut => ({
  turnId,
  index,
  reason: 'too_much',
  message: `under these settings the turn comes to no end, or makes more than ${mostUnknown} attempts that no record tells about; give it, or its tools, a time limit`,
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

const hullOf = (shared: readonly TurnFigures[], name: 'whole' | 'durationMs'): ReturnType<typeof exactly> =>
  shared.map((each) => exactly(each[name])).reduce(hull);

/** What is the same in all extremes may still be in doubt; what is not, surely is. */
function isOtherwise([first, ...others]: readonly TurnFigures[], callId: string): boolean {
  const { requests, succeeded } = first?.calls.get(callId) ?? {};
  return others.some(({ calls }) => calls.get(callId)?.requests !== requests || calls.get(callId)?.succeeded !== succeeded);
}

interface Depending {
  readonly loose: ReadonlySet<string>;
  readonly doubted: ReadonlySet<string>;
}

function dependsOnUnknown(
  turn: ReadTurn,
  ran: readonly RanTurn[],
  shared: readonly TurnFigures[],
  setting: Setting,
  doubt: Spans,
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
  const isShared = loose.size > 0 && sharesRetriesOrSlots(turn, setting);
  for (const { callId, dependsOn, call } of nodes) {
    if (!isShared && !loose.has(callId) && !dependsOn.some((id) => loose.has(id))) continue;
    loose.add(callId);
    // It may begin later than in any of the runs, when a gate is in doubt.
    if (toolsOfCall(setting, call.toolName).some((name) => touches(doubt, name, longest))) doubted.add(callId);
  }
  return { loose, doubted };
}
