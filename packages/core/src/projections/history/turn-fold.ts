/**
 * Owns the facts that lists of turns are filtered by, while a turn runs and after it has ended.
 *
 * Invariants
 * 1. Bounded: the oldest turns that never end are evicted, and each turn keeps a fixed number of names.
 * 2. Events after the end of a turn still count, for the latest turns.
 */
import type { Mutable } from '../../engine/plain/mutable.ts';
import type { TraceEvent } from '../../engine/trace/events.ts';
import { turnEndOf } from '../../engine/trace/turn-end.ts';
import { BoundedMap, forgetOldest } from './bounded-map.ts';
import { endingOf } from './cell-fold.ts';
import type { TurnFacts, TurnRecord } from './records.ts';
import type { TrackedEvent } from './open-turns.ts';

type Facts = Mutable<Omit<TurnFacts, 'tools' | 'codes'>>;

/** A turn while it is folded. */
interface TurnState {
  readonly turnId: string;
  readonly startedAt: number;
  readonly facts: Facts;
  readonly tools: Set<string>;
  readonly codes: Set<string>;
  planned: number;
  completed: number;
  events: number;
  end: { readonly at: number; readonly outcome: NonNullable<TurnRecord['outcome']>; readonly summary: string } | undefined;
}

const maxNamesPerTurn = 50;
const maxNameLength = 200;
const maxSummaryLength = 1_000;

export interface TurnFoldLimits {
  /** Running turns. @default 20000 */
  readonly running?: number;
  /** Ended turns. @default 1000 */
  readonly ended?: number;
}

/** Turns that ended in the last five minutes. */
export interface RecentTurns {
  /** Turns that ended. */
  readonly turns: number;
  /** Ended turns that had missed their deadline. */
  readonly deadlinesMissed: number;
}

interface TurnStep extends RecentTurns {
  readonly number: number;
}

const stepMs = 10_000;
const steps = 30;

export class TurnFactsFold {
  readonly #running: BoundedMap<TurnState>;
  readonly #ended: BoundedMap<TurnState>;
  #changed = new Set<TurnState>();
  readonly #maxChanged: number;
  /** Steps of the last five minutes, oldest first. */
  #steps: Mutable<TurnStep>[] = [];

  constructor({ running = 20_000, ended = 1_000 }: TurnFoldLimits = {}) {
    this.#running = new BoundedMap(running);
    this.#ended = new BoundedMap(ended);
    this.#maxChanged = running;
  }

  /** Returns whether the event belongs to a known turn. */
  observe(seen: TrackedEvent): boolean {
    const turn = this.#note(seen);
    if (!turn) return false;
    if (turnEndOf(seen.event)) this.#countEnd(turn, seen.at);
    this.#changed.add(turn);
    // When nothing calls `take`, the newest turns are the most useful.
    if (this.#changed.size > this.#maxChanged) forgetOldest(this.#changed);
    return true;
  }

  /** Processes an event that was counted before: updates the facts of its turn without marking it as changed. */
  recall(seen: TrackedEvent): void {
    this.#note(seen);
  }

  #note(seen: TrackedEvent): TurnState | undefined {
    const { event, at } = seen;
    const turn = this.#turnOf(seen);
    if (!turn) return undefined;
    turn.events += 1;
    if (!turn.end) turn.facts.duration_ms = Math.max(turn.facts.duration_ms, event.elapsed_ms);
    note(turn, seen);
    const end = turnEndOf(event);
    if (end) {
      turn.end = { at, outcome: end.outcome, summary: end.summary.slice(0, maxSummaryLength) };
      this.#running.delete(turn.turnId);
      this.#ended.set(turn.turnId, turn);
    }
    return turn;
  }

  take(): readonly TurnRecord[] {
    const taken = [...this.#changed].map(toRecord);
    this.#changed = new Set();
    return taken;
  }

  /** The record of a turn that is running or ended recently. */
  get(turnId: string): TurnRecord | undefined {
    const turn = this.#running.get(turnId) ?? this.#ended.get(turnId);
    return turn && toRecord(turn);
  }

  knows(turnId: string): boolean {
    return this.#running.get(turnId) !== undefined || this.#ended.get(turnId) !== undefined;
  }

  /** Turns that ended in the last five minutes. */
  recent(now: number): RecentTurns {
    const first = Math.floor(now / stepMs) - steps + 1;
    const latest = this.#steps.filter(({ number }) => number >= first);
    const sum = (of: keyof RecentTurns): number => latest.reduce((total, step) => total + step[of], 0);
    return { turns: sum('turns'), deadlinesMissed: sum('deadlinesMissed') };
  }

  #countEnd({ facts }: TurnState, at: number): void {
    const number = Math.floor(at / stepMs);
    let step = this.#steps.find((each) => each.number === number);
    if (!step) {
      step = { number, turns: 0, deadlinesMissed: 0 };
      this.#steps = [...this.#steps.slice(1 - steps), step];
    }
    step.turns += 1;
    if (facts.deadline_missed) step.deadlinesMissed += 1;
  }

  #turnOf({ event, turn, at }: TrackedEvent): TurnState | undefined {
    const begins = event.seq === 1 || event.event_type === 'TurnStarted';
    const known = this.#running.get(event.turn_id) ?? this.#ended.get(event.turn_id);
    if (known && !begins) return known;
    if (!turn) return undefined;
    const state: TurnState = {
      turnId: event.turn_id,
      startedAt: at,
      facts: {
        duration_ms: 0,
        retries: 0,
        failed_calls: 0,
        skipped_calls: 0,
        waited_ms: 0,
        used_alternative: false,
        deadline_missed: false,
        repaired: false,
      },
      tools: new Set(),
      codes: new Set(),
      planned: 0,
      completed: 0,
      events: event.seq - 1,
      end: undefined,
    };
    this.#ended.delete(state.turnId);
    this.#running.set(state.turnId, state);
    return state;
  }
}

function note(turn: TurnState, { event, call, isRetry }: TrackedEvent): void {
  const { facts } = turn;
  switch (event.event_type) {
    case 'TurnStarted':
      turn.planned = event.calls.length;
      return;
    case 'CallStarted':
    case 'AttemptStarted':
      if (isRetry) facts.retries += 1;
      return addName(turn.tools, event.tool_id);
    case 'ToolError':
      return addName(turn.codes, event.code);
    case 'AlternativeUsed':
      facts.used_alternative = true;
      return;
    case 'TurnDeadlineReached':
      facts.deadline_missed = true;
      return;
    case 'ArgumentsRepaired':
    case 'TranscriptRepaired':
      facts.repaired = true;
      return;
    case 'CallCompleted':
      if (call) facts.waited_ms = Math.max(facts.waited_ms, call.waitedMs);
      return noteCall(turn, event, endingOf(event, call));
    default:
  }
}

function noteCall(turn: TurnState, event: Extract<TraceEvent, { event_type: 'CallCompleted' }>, ending: ReturnType<typeof endingOf>): void {
  turn.completed += 1;
  addName(turn.tools, event.tool_id);
  if (event.code !== undefined) addName(turn.codes, event.code);
  if (ending === 'failed' || ending === 'rejected') turn.facts.failed_calls += 1;
  if (ending === 'skipped') turn.facts.skipped_calls += 1;
  if (event.code === 'TURN_DEADLINE') turn.facts.deadline_missed = true;
}

function addName(names: Set<string>, name: string): void {
  if (names.size < maxNamesPerTurn) names.add(name.slice(0, maxNameLength));
}

function toRecord({ turnId, startedAt, facts, tools, codes, planned, completed, events, end }: TurnState): TurnRecord {
  return {
    turn_id: turnId,
    started_at: startedAt,
    ...(end ? { ended_at: end.at, outcome: end.outcome, summary: end.summary } : {}),
    calls: Math.max(planned, completed),
    events,
    facts: { tools: [...tools], codes: [...codes], ...facts },
  };
}
