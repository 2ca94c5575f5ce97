/**
 * Owns the answer of a what-if: the recorded turn, the same turn under other settings, and the limits of what is known.
 *
 * Invariants
 * 1. A replay is compared with a replay: of the same turn under its own settings, in the same virtual time.
 * 2. A figure with unknown parts is never a single number: the turn is replayed for the worst and the best case too. No figure is outside of its range.
 * 3. Every number is counted from the recorded trace or a replayed one; ranges are those of `@holdfast/what-if`.
 */
import type { TraceEvent } from '@holdfast/core';
import type { RecordedDecision } from '@holdfast/core/trace';
import { type DecisionDifference, type ReplayOptions, replayTurn } from '@holdfast/core/replay';
import { foldTurn, turnTotals, type CallEnd, type CallView, type TurnView } from '@holdfast/core/turn-view';
import { whatIf } from '@holdfast/what-if';
import type { WhatIfAnswer, WhatIfDifference, WhatIfRange, WhatIfRanges, WhatIfSide } from '../../contract.ts';

export type WhatIfChanges = Pick<ReplayOptions, 'policy' | 'tools' | 'turn'>;

export interface WhatIfLimits {
  /** Maximum number of unrecorded attempts: settings may lead to endless ones. */
  readonly maxUnknown: number;
  /** Runs between replays, to let other work run. */
  readonly pause?: (() => Promise<void>) | undefined;
}

/** Rejects with a TypeError when the events are not the trace of one turn or the settings lead to endless attempts, with a RangeError when they lead to too many. */
export async function whatIfAnswer(
  events: readonly TraceEvent[],
  changes: WhatIfChanges,
  { maxUnknown, pause }: WhatIfLimits,
): Promise<WhatIfAnswer> {
  const { baseline, isComplete } = replayUnchanged(events, maxUnknown);
  await pause?.();
  // What was replayed has no lateness of a busy process: compared with the record itself, every change would seem to save that time.
  const source = isComplete ? baseline : events;
  const { trace, differences, assumptions, interrupted } = replayTurn(source, { ...changes, maxUnknown, unknownAttempts: 'as_last' });
  const replayed = withTurnStart(source, trace, changes);
  const [before, after] = [foldTurn(source), foldTurn(trace)];
  const [unchanged, side] = [sideOf(foldTurn(baseline)), sideOf(after)];
  const computeBound = async (unknownAttempts: 'fail' | 'succeed'): Promise<WhatIfSide> => {
    if (assumptions.length === 0) return side;
    await pause?.();
    return sideOf(foldTurn(replayTurn(source, { ...changes, maxUnknown, unknownAttempts }).trace));
  };
  const bounds = { worst: await computeBound('fail'), best: await computeBound('succeed') };
  await pause?.();
  const ranges = interrupted ? undefined : rangesOf(source, changes, maxUnknown, [side, bounds.worst, bounds.best]);
  return {
    turn_id: events[0]?.turn_id ?? '',
    recorded: sideOf(foldTurn(events)),
    unchanged,
    replayed: side,
    bounds,
    ...(ranges === undefined ? {} : { ranges }),
    unknown_attempts: assumptions.length,
    assumptions: [
      ...(interrupted ? ['The recorded turn was interrupted; the part that did not run is assumed.'] : []),
      ...(before.single && changesOnlyTurns(changes) ? [notOfSingleCalls] : []),
      ...assumptions,
    ],
    differences: [...decisionDifferences(differences, before, after), ...endingDifferences(before, after)],
    events: replayed,
  };
}

const notOfSingleCalls = 'The call belongs to no turn, so the time limit and the concurrency of turns do not change it.';

const changesOnlyTurns = ({ turn = {} }: WhatIfChanges): boolean => turn.timeoutMs !== undefined || turn.concurrency !== undefined;

interface Unchanged {
  /** The events of the replay, from the start of the turn. */
  readonly baseline: readonly TraceEvent[];
  /** It needed no assumption, so that it stands for the record. */
  readonly isComplete: boolean;
}

/** Replays the record under its own settings, in the time in which the changed settings are replayed. */
function replayUnchanged(events: readonly TraceEvent[], maxUnknown: number): Unchanged {
  const { trace, assumptions, interrupted } = replayTurn(events, { policy: {}, maxUnknown, unknownAttempts: 'as_last' });
  return { baseline: withTurnStart(events, trace, {}), isComplete: assumptions.length === 0 && interrupted !== true };
}

function rangesOf(
  events: readonly TraceEvent[],
  changes: WhatIfChanges,
  maxUnknown: number,
  possible: readonly WhatIfSide[],
): WhatIfRanges | undefined {
  // Within one turn a recorded attempt counts as it was recorded, wherever the change moves it: otherwise each moved call would make all later ones unknown.
  const [turn] = whatIf([events], changes, { maxUnknown, sameMomentMs: Infinity }).turns;
  if (turn === undefined) return undefined;
  const { changed, observedShare, whole, duration } = turn;
  // Whatever was replayed is possible, so it lies within.
  const including = ({ low, high }: WhatIfRange, field: CountName): WhatIfRange => ({
    low: Math.min(low, ...possible.map((side) => side[field])),
    high: Math.max(high, ...possible.map((side) => side[field])),
  });
  const { low, high } = duration.changed;
  return {
    observed_share: observedShare,
    whole: whole.changed,
    ...(Number.isFinite(high) && { duration_ms: including({ low: Math.round(low), high: Math.round(high) }, 'duration_ms') }),
    attempts: including(changed.requests, 'attempts'),
    retries: including(changed.retries, 'retries'),
    calls_succeeded: including(changed.succeeded, 'calls_succeeded'),
    calls_failed: including(changed.failed, 'calls_failed'),
    calls_skipped: including(changed.skipped, 'calls_skipped'),
  };
}

type CountName = Exclude<keyof WhatIfSide, 'outcome'>;

/** Adds the recorded start of the turn: the trace of a what-if has none. */
function withTurnStart(recorded: readonly TraceEvent[], replayed: readonly TraceEvent[], { turn }: WhatIfChanges): readonly TraceEvent[] {
  const [start] = recorded;
  if (start?.event_type !== 'TurnStarted' || replayed[0]?.event_type === 'TurnStarted') return replayed;
  const timeoutMs = turn?.timeoutMs === undefined ? start.timeout_ms : turn.timeoutMs;
  return [{ ...start, elapsed_ms: 0, timeout_ms: timeoutMs }, ...replayed.map((event) => ({ ...event, seq: event.seq + 1 }))];
}

function sideOf(turn: TurnView): WhatIfSide {
  const totals = turnTotals(turn);
  return {
    outcome: turn.outcome ?? 'interrupted',
    duration_ms: Math.round(turn.durationMs ?? turn.elapsedMs),
    attempts: totals.attempts,
    retries: totals.retries,
    calls_succeeded: totals.succeeded + totals.fellBack,
    calls_failed: totals.failed + totals.timedOut + totals.cancelled,
    calls_skipped: totals.skipped + totals.notRun,
  };
}

type DecisionText = NonNullable<WhatIfDifference['recorded']>;

function decisionDifferences(
  differences: ReturnType<typeof replayTurn>['differences'],
  before: TurnView,
  after: TurnView,
): readonly WhatIfDifference[] {
  return differences
    .filter((difference): difference is DecisionDifference => difference.kind === 'decision')
    .map(({ where, callId, position, recorded: was, replayed: is }) => {
      const tool = decisionOf(before, callId, position)?.toolName ?? decisionOf(after, callId, position)?.toolName;
      return {
        where,
        call_id: callId,
        ...(tool === undefined ? {} : { tool_id: tool }),
        ...pair(was && recordDecision(was), is && recordDecision(is)),
      };
    });
}

const callOf = ({ calls }: TurnView, callId: string): CallView | undefined => calls.find((call) => call.callId === callId);

/** @param position among the decisions of the call, from 1 */
const decisionOf = (turn: TurnView, callId: string, position: number): CallView['decisions'][number] | undefined =>
  callOf(turn, callId)?.decisions[position - 1];

function recordDecision({ action, alternative, delay_ms: delayMs, reason }: RecordedDecision): DecisionText {
  const delay = delayMs === undefined ? '' : ` in ${Math.round(delayMs)} ms`;
  return { action: `${action}${alternative === undefined ? '' : ` ${alternative}`}${delay}`, reason };
}

/** Returns the calls that end differently, by another tool, or not at all. */
function endingDifferences(before: TurnView, after: TurnView): readonly WhatIfDifference[] {
  const ended = [before, after].flatMap(({ calls }) => calls.filter(({ end }) => end !== undefined));
  return [...new Set(ended.map(({ callId }) => callId))].toSorted().flatMap((callId) => {
    const [was, is] = [callOf(before, callId), callOf(after, callId)];
    const [recorded, replayed] = [was?.end && describeEnd(was, was.end), is?.end && describeEnd(is, is.end)];
    if (recorded?.action === replayed?.action) return [];
    return [{ where: `end of call '${callId}'`, call_id: callId, tool_id: (is ?? was)?.toolName ?? '', ...pair(recorded, replayed) }];
  });
}

function describeEnd(
  { toolName }: CallView,
  { status, servedBy, attempts, skipped, fallbackUsed, partial, code, error }: CallEnd,
): DecisionText {
  const words = [
    skipped ? 'skipped' : status,
    ...(servedBy === toolName ? [] : [`by ${servedBy}`]),
    ...(fallbackUsed ? ['with its default'] : []),
    ...(partial ? ['partially'] : []),
  ];
  return { action: words.join(' '), reason: error || code || `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}` };
}

const pair = (recorded: DecisionText | undefined, replayed: DecisionText | undefined): Pick<WhatIfDifference, 'recorded' | 'replayed'> => ({
  ...(recorded === undefined ? {} : { recorded }),
  ...(replayed === undefined ? {} : { replayed }),
});
