/**
 * How the time of a turn was spent, per call and in total: work, waits, and the time left until the deadline at the start of each call.
 *
 * Invariants
 * 1. The entries of a call add up to the time from the start of the turn (or of the call, for a single call) to its end. Nothing is counted twice.
 * 2. The entries of the turn add up to its duration. Time in which calls do different things counts for the first of work, queue, backoff.
 */
import type { CallView, Segment, TurnView } from '@holdfast/core/turn-view';

export interface Spending {
  readonly workMs: number;
  readonly backoffMs: number;
  readonly queueMs: number;
  /** Waiting for dependencies. */
  readonly dependencyMs: number;
  /** Waiting for a slot in the turn. */
  readonly placeMs: number;
  /** Overhead of the engine. For the turn: no call was active, for example while the model was generating. */
  readonly otherMs: number;
}

export interface LedgerRow {
  readonly callId: string;
  readonly toolName: string;
  readonly index: number;
  readonly startedMs: number | undefined;
  readonly endedMs: number | undefined;
  readonly spent: Spending;
  /** From its start to its end. */
  readonly ownMs: number;
  /** The time left until the deadline at its start. Undefined without a deadline or a start. */
  readonly leftAtStartMs: number | undefined;
  readonly onPath: boolean;
}

export interface Ledger {
  readonly durationMs: number;
  readonly timeoutMs: number | undefined;
  /** The unused time before the deadline. Never negative. */
  readonly unspentMs: number | undefined;
  readonly turn: Spending;
  /** Along the critical path. */
  readonly path: Spending;
  /** The sum of all calls, which can be more than the duration. */
  readonly all: Spending;
  readonly rows: readonly LedgerRow[];
}

export function buildLedger(view: TurnView, path: readonly string[]): Ledger {
  const durationMs = view.durationMs ?? view.elapsedMs;
  const onPath = new Set(path);
  const rows = view.calls.map((call) => rowOf(call, view, durationMs, onPath));
  return {
    durationMs,
    timeoutMs: view.timeoutMs,
    unspentMs: view.timeoutMs === undefined ? undefined : Math.max(0, view.timeoutMs - durationMs),
    turn: spendingOfTurn(view.calls, durationMs),
    path: sum(rows.filter((row) => row.onPath).map(({ spent }) => ({ ...spent, dependencyMs: 0 }))),
    all: sum(rows.map(({ spent }) => spent)),
    rows,
  };
}

function rowOf(call: CallView, view: TurnView, nowMs: number, onPath: ReadonlySet<string>): LedgerRow {
  const { startedMs, endedMs } = call;
  const end = endedMs ?? nowMs;
  const left = view.timeoutMs === undefined || startedMs === undefined ? undefined : Math.max(0, view.timeoutMs - startedMs);
  return {
    callId: call.callId,
    toolName: call.toolName,
    index: call.index,
    startedMs,
    endedMs,
    spent: spendingOfCall(call, end),
    ownMs: startedMs === undefined ? 0 : Math.max(0, end - startedMs),
    leftAtStartMs: left,
    onPath: onPath.has(call.callId),
  };
}

const nothing: Spending = { workMs: 0, backoffMs: 0, queueMs: 0, dependencyMs: 0, placeMs: 0, otherMs: 0 };

const entryOf: Readonly<Partial<Record<Segment['kind'], keyof Spending>>> = {
  attempt: 'workMs',
  queue: 'queueMs',
  backoff: 'backoffMs',
  dependency: 'dependencyMs',
  place: 'placeMs',
  prepare: 'otherMs',
};

/** The first one counts if several overlap: two concurrent attempts count as one interval of work. */
const precedence: readonly (keyof Spending)[] = ['workMs', 'queueMs', 'backoffMs', 'dependencyMs', 'placeMs', 'otherMs'];

interface Interval {
  readonly fromMs: number;
  readonly toMs: number;
  readonly entry: keyof Spending;
}

const intervalsOf = (call: CallView, endMs: number): readonly Interval[] =>
  call.segments.flatMap((segment) => {
    const entry = entryOf[segment.kind];
    const toMs = Math.min(endMs, segment.endMs ?? endMs);
    return entry === undefined || toMs <= segment.startMs ? [] : [{ fromMs: segment.startMs, toMs, entry }];
  });

function spendingOfCall(call: CallView, endMs: number): Spending {
  const intervals = intervalsOf(call, endMs);
  const start = Math.min(call.startedMs ?? endMs, ...intervals.map(({ fromMs }) => fromMs));
  return sweep(intervals, start, endMs, 'otherMs');
}

function spendingOfTurn(calls: readonly CallView[], durationMs: number): Spending {
  const work: readonly (keyof Spending)[] = ['workMs', 'queueMs', 'backoffMs'];
  const all = calls.flatMap((call) => intervalsOf(call, durationMs)).filter(({ entry }) => work.includes(entry));
  return sweep(all, 0, durationMs, 'otherMs');
}

/** Sweeps over the starts and ends once. */
function sweep(all: readonly Interval[], fromMs: number, toMs: number, rest: keyof Spending): Spending {
  const spent: Record<keyof Spending, number> = { ...nothing };
  const open: Record<keyof Spending, number> = { ...nothing };
  const marks = all
    .flatMap(({ fromMs: at, toMs: until, entry }) => [
      { at, step: 1, entry },
      { at: until, step: -1, entry },
    ])
    .toSorted((a, b) => a.at - b.at);
  let last = fromMs;
  const advance = (at: number): void => {
    const until = Math.min(Math.max(at, fromMs), toMs);
    if (until > last) spent[precedence.find((entry) => open[entry] > 0) ?? rest] += until - last;
    last = Math.max(last, until);
  };
  for (const { at, step, entry } of marks) {
    advance(at);
    open[entry] += step;
  }
  advance(toMs);
  return spent;
}

function sum(all: readonly Spending[]): Spending {
  const total: Record<keyof Spending, number> = { ...nothing };
  for (const spent of all) for (const entry of precedence) total[entry] += spent[entry];
  return total;
}
