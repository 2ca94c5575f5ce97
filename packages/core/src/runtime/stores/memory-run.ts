/**
 * Owns one recorded run of a turn in memory: its events by `seq`, their order within the whole store, its summary for lists.
 * Does not own which runs are kept (`memory-store.ts`).
 *
 * Invariants
 * 1. `events` is sorted by `seq`, without duplicates; `ordinals` is parallel to it.
 * 2. An event in order costs two pushes; only events out of order require a search.
 */
import type { TurnSummary } from '../../engine/ports/store.ts';
import type { TraceEvent } from '../../engine/trace/events.ts';
import type { TurnEnd } from '../../engine/trace/turn-end.ts';
import { turnEndOf } from '../../engine/trace/turn-end.ts';

export interface MemoryRun {
  readonly turnId: string;
  readonly run: number;
  readonly executionId: string | undefined;
  readonly events: TraceEvent[];
  /** When each event was appended, counted over the whole store. */
  readonly ordinals: number[];
  lastSeq: number;
  planned: number;
  completed: number;
  ended: (TurnEnd & { readonly timestamp: string }) | undefined;
  /** The list it is in, and its neighbours there. */
  list: RunList | undefined;
  before: MemoryRun | undefined;
  behind: MemoryRun | undefined;
}

/** Runs in the order in which they were added. Changed only by `run-list.ts`. */
export interface RunList {
  size: number;
  first: MemoryRun | undefined;
  last: MemoryRun | undefined;
}

/** The runs of one turn id. */
export interface MemoryTurn {
  readonly runs: MemoryRun[];
  /** The run that receives new events: the one that began, or was continued, last. */
  current: MemoryRun;
}

export function startRun(turnId: string, run: number, executionId: string | undefined): MemoryRun {
  return {
    turnId,
    run,
    executionId,
    events: [],
    ordinals: [],
    lastSeq: 0,
    planned: 0,
    completed: 0,
    ended: undefined,
    list: undefined,
    before: undefined,
    behind: undefined,
  };
}

/** The execution id of the run that an event begins or continues. */
export function executionIdOf(event: TraceEvent): string | undefined {
  return event.event_type === 'TurnStarted' ? event.execution_id : undefined;
}

/** Returns whether the event was new, was there already, or contradicts one with the same number. */
export type Placed = 'new' | 'repeated' | 'conflict';

export function place(run: MemoryRun, event: TraceEvent, ordinal: number): Placed {
  if (event.seq > run.lastSeq) {
    run.events.push(event);
    run.ordinals.push(ordinal);
    run.lastSeq = event.seq;
  } else {
    const at = run.events.findIndex((other) => other.seq >= event.seq);
    const other = run.events[at];
    if (other?.seq === event.seq) return sameEvent(other, event) ? 'repeated' : 'conflict';
    run.events.splice(at, 0, event);
    run.ordinals.splice(at, 0, ordinal);
  }
  addEvent(run, event);
  return 'new';
}

function addEvent(run: MemoryRun, event: TraceEvent): void {
  if (event.event_type === 'CallCompleted') run.completed += 1;
  else if (event.event_type === 'TurnStarted') run.planned = event.calls.length;
  const end = turnEndOf(event);
  if (end) run.ended = { ...end, timestamp: event.timestamp };
}

/** Returns a run as lists show it. `closed`: the store is closed, so a run without an end is interrupted. */
export function summarize(run: MemoryRun, closed: boolean): TurnSummary {
  const { turnId, ended } = run;
  const seen = { turnId, run: run.run, startedAt: startOf(run), calls: Math.max(run.planned, run.completed), events: run.events.length };
  if (ended === undefined) return { ...seen, state: closed ? 'interrupted' : 'running' };
  return { ...seen, state: 'completed', endedAt: Date.parse(ended.timestamp), outcome: ended.outcome, summary: ended.summary };
}

export function startOf(run: MemoryRun): number {
  return Date.parse(run.events[0]?.timestamp ?? '');
}

function sameEvent(one: TraceEvent, other: TraceEvent): boolean {
  if (one === other) return true;
  try {
    return JSON.stringify(one) === JSON.stringify(other);
  } catch {
    return false;
  }
}
