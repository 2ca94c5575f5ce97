/**
 * Owns the answer of a what-if: the recorded turn, the same turn under other settings, and the limits of what is known.
 *
 * Invariants
 * 1. A figure with unknown parts is never a single number: the turn is replayed for the worst and the best case too.
 * 2. Every number is counted from the recorded trace or a replayed one; ranges are those of `@holdfast/what-if`.
 */
import type { TraceEvent } from '@holdfast/core';
import { turnEndOf, type RecordedDecision } from '@holdfast/core/trace';
import { type DecisionDifference, type ReplayOptions, replayTurn } from '@holdfast/core/replay';
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
  const side = sideOf(replayed);
  const computeBound = async (unknownAttempts: 'fail' | 'succeed'): Promise<WhatIfSide> => {
    if (assumptions.length === 0) return side;
    await pause?.();
    return sideOf(replayTurn(events, { ...changes, maxUnknown, unknownAttempts }).trace);
  };
  const bounds = { worst: await computeBound('fail'), best: await computeBound('succeed') };
  await pause?.();
  const ranges = rangesOf(events, changes, maxUnknown);
  return {
    turn_id: events[0]?.turn_id ?? '',
    recorded: sideOf(events),
    replayed: side,
    bounds,
    ...(ranges === undefined ? {} : { ranges }),
    unknown_attempts: assumptions.length,
    assumptions: interrupted ? ['The recorded turn was interrupted; the part that did not run is assumed.', ...assumptions] : assumptions,
    differences: [...decisionDifferences(differences, events, trace), ...endingDifferences(events, trace)],
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

function sideOf(events: readonly TraceEvent[]): WhatIfSide {
  const last = events.findLast((event) => turnEndOf(event) !== undefined);
  const count = (counted: (event: TraceEvent) => boolean): number => events.filter(counted).length;
  return {
    outcome: (last && turnEndOf(last)?.outcome) ?? 'interrupted',
    duration_ms: Math.round(last?.event_type === 'TurnCompleted' ? last.duration_ms : (events.at(-1)?.elapsed_ms ?? 0)),
    attempts: count(({ event_type }) => event_type === 'AttemptStarted'),
    retries: count(({ event_type }) => event_type === 'RetryScheduled'),
    calls_succeeded: count((event) => event.event_type === 'CallCompleted' && event.status === 'success'),
    calls_failed: count((event) => event.event_type === 'CallCompleted' && event.status !== 'success'),
  };
}

type DecisionText = NonNullable<WhatIfDifference['recorded']>;

function decisionDifferences(
  differences: ReturnType<typeof replayTurn>['differences'],
  recorded: readonly TraceEvent[],
  replayed: readonly TraceEvent[],
): readonly WhatIfDifference[] {
  const before = toolsOfDecisions(recorded);
  const after = toolsOfDecisions(replayed);
  return differences
    .filter((difference): difference is DecisionDifference => difference.kind === 'decision')
    .map(({ where, callId, position, recorded: was, replayed: is }) => {
      const tool = before.get(callId)?.[position - 1] ?? after.get(callId)?.[position - 1];
      return {
        where,
        call_id: callId,
        ...(tool === undefined ? {} : { tool_id: tool }),
        ...pair(was && recordDecision(was), is && recordDecision(is)),
      };
    });
}

function toolsOfDecisions(events: readonly TraceEvent[]): ReadonlyMap<string, readonly string[]> {
  const tools = new Map<string, string[]>();
  for (const event of events) {
    if (event.event_type !== 'RecoveryDecided') continue;
    const known = tools.get(event.call_id);
    if (known) known.push(event.tool_id);
    else tools.set(event.call_id, [event.tool_id]);
  }
  return tools;
}

function recordDecision({ action, alternative, delay_ms: delayMs, reason }: RecordedDecision): DecisionText {
  const delay = delayMs === undefined ? '' : ` in ${Math.round(delayMs)} ms`;
  return { action: `${action}${alternative === undefined ? '' : ` ${alternative}`}${delay}`, reason };
}

/** Returns the calls that end differently, by another tool, or not at all. */
function endingDifferences(recorded: readonly TraceEvent[], replayed: readonly TraceEvent[]): readonly WhatIfDifference[] {
  const before = endings(recorded);
  const after = endings(replayed);
  return [...new Set([...before.keys(), ...after.keys()])].toSorted().flatMap((callId) => {
    const [was, is] = [before.get(callId), after.get(callId)];
    if (was?.text.action === is?.text.action) return [];
    return [{ where: `end of call '${callId}'`, call_id: callId, tool_id: (is ?? was)?.tool ?? '', ...pair(was?.text, is?.text) }];
  });
}

function endings(events: readonly TraceEvent[]): ReadonlyMap<string, { readonly tool: string; readonly text: DecisionText }> {
  const ends = new Map<string, { readonly tool: string; readonly text: DecisionText }>();
  for (const event of events) {
    if (event.event_type !== 'CallCompleted') continue;
    const { call_id: callId, tool_id: tool, status, served_by: servedBy, skipped, fallback_used: fallback, partial, code, error } = event;
    const words = [
      skipped === true ? 'skipped' : status,
      ...(servedBy === tool ? [] : [`by ${servedBy}`]),
      ...(fallback === true ? ['with its default'] : []),
      ...(partial === true ? ['partially'] : []),
    ];
    const reason = error ?? code ?? `${event.attempts} ${event.attempts === 1 ? 'attempt' : 'attempts'}`;
    ends.set(callId, { tool, text: { action: words.join(' '), reason } });
  }
  return ends;
}

const pair = (recorded: DecisionText | undefined, replayed: DecisionText | undefined): Pick<WhatIfDifference, 'recorded' | 'replayed'> => ({
  ...(recorded === undefined ? {} : { recorded }),
  ...(replayed === undefined ? {} : { replayed }),
});
