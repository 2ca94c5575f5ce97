/**
 * Owns the answer of a what-if: the recorded turn, the same turn under other settings, and the limits of what is known.
 *
 * Invariants
 * 1. A figure with unknown parts is never a single number: the turn is replayed for the worst and the best case too.
 * 2. Every number is counted from the recorded trace or a replayed one; ranges are those of `@holdfast/what-if`.
 */
import type { TraceEvent } from '@holdfast/core';
import type { RecordedDecision } from '@holdfast/core/trace';
import { type DecisionDifference, type ReplayOptions, replayTurn } from '@holdfast/core/replay';
import { foldTurn, turnTotals, type CallEnd, type CallView, type TurnView } from '@holdfast/core/turn-view';
import { whatIf } from '@holdfast/what-if';
import type { WhatIfAnswer, WhatIfDifference, WhatIfRanges, WhatIfSide } from '../../contract.ts';

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
  const { trace, differences, assumptions, interrupted } = replayTurn(events, { ...changes, maxUnknown, unknownAttempts: 'as_last' });
  const replayed = withTurnStart(events, trace, changes);
  const [before, after] = [foldTurn(events), foldTurn(trace)];
  const side = sideOf(after);
  const computeBound = async (unknownAttempts: 'fail' | 'succeed'): Promise<WhatIfSide> => {
    if (assumptions.length === 0) return side;
    await pause?.();
    return sideOf(foldTurn(replayTurn(events, { ...changes, maxUnknown, unknownAttempts }).trace));
  };
  const bounds = { worst: await computeBound('fail'), best: await computeBound('succeed') };
  await pause?.();
  const ranges = rangesOf(events, changes, maxUnknown);
  return {
    turn_id: events[0]?.turn_id ?? '',
    recorded: sideOf(before),
    replayed: side,
    bounds,
    ...(ranges === undefined ? {} : { ranges }),
    unknown_attempts: assumptions.length,
    assumptions: interrupted ? ['The recorded turn was interrupted; the part that did not run is assumed.', ...assumptions] : assumptions,
    differences: [...decisionDifferences(differences, before, after), ...endingDifferences(before, after)],
    events: replayed,
  };
}

function rangesOf(events: readonly TraceEvent[], changes: WhatIfChanges, maxUnknown: number): WhatIfRanges | undefined {
  const [turn] = whatIf([events], changes, { maxUnknown }).turns;
  if (turn === undefined) return undefined;
  const { changed, observedShare, whole, duration } = turn;
  const { low, high } = duration.changed;
  return {
    observed_share: observedShare,
    whole: whole.changed,
    ...(Number.isFinite(high) && { duration_ms: { low: Math.round(low), high: Math.round(high) } }),
    attempts: changed.requests,
    retries: changed.retries,
    calls_succeeded: changed.succeeded,
    calls_failed: changed.failed,
  };
}

/** Adds the recorded start of the turn: the trace of a what-if has none. */
function withTurnStart(recorded: readonly TraceEvent[], replayed: readonly TraceEvent[], { turn }: WhatIfChanges): readonly TraceEvent[] {
  const [start] = recorded;
  if (start?.event_type !== 'TurnStarted' || replayed[0]?.event_type === 'TurnStarted') return replayed;
  const timeoutMs = turn?.timeoutMs === undefined ? start.timeout_ms : turn.timeoutMs;
  return [{ ...start, timeout_ms: timeoutMs }, ...replayed.map((event) => ({ ...event, seq: event.seq + 1 }))];
}

function sideOf(turn: TurnView): WhatIfSide {
  const { attempts, retries } = turnTotals(turn);
  const ends = turn.calls.flatMap(({ end }) => end ?? []);
  const succeeded = ends.filter(({ status }) => status === 'success').length;
  return {
    outcome: turn.outcome ?? 'interrupted',
    duration_ms: Math.round(turn.durationMs ?? turn.elapsedMs),
    attempts,
    retries,
    calls_succeeded: succeeded,
    calls_failed: ends.length - succeeded,
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
