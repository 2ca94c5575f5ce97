/**
 * How the time of a turn was spent, per call and in total: attempts that succeeded and others, waits by what was waited for, and the time left until the deadline at the
 * start of each call.
 *
 * Invariants
 * 1. The entries of a call add up to the time from the start of the turn (or of the call, for a single call) to its end. Nothing is counted twice.
 * 2. The entries of the turn add up to its duration. Time in which calls do different things counts for the first of `precedence`.
 */
import { latenessOf, type CallView, type Segment, type TurnView } from '@holdfast/core/turn-view';

export interface Spending {
  /** In attempts that succeeded. */
  readonly workMs: number;
  /** In attempts that still run. */
  readonly runningMs: number;
  /** In attempts that failed, timed out or were cut off: time that brought nothing. */
  readonly failedMs: number;
  /** Waiting for a free slot of the tool. */
  readonly slotMs: number;
  /** Waiting for the rate limit or for a server's Retry-After. */
  readonly hintMs: number;
  /** Waiting for the tool to recover. */
  readonly recoveryMs: number;
  readonly backoffMs: number;
  /** Retries that started later than planned, because the process was busy. */
  readonly lateMs: number;
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
  /** Optional calls on the critical path whose attempts failed for at least a tenth of the turn. */
  readonly lostToOptional: readonly { readonly callId: string; readonly failedMs: number }[];
}

/** `nowMs`: of a turn that runs. */
export function buildLedger(view: TurnView, path: readonly string[], nowMs: number = view.elapsedMs): Ledger {
  const durationMs = view.durationMs ?? Math.max(view.elapsedMs, nowMs);
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
    lostToOptional: view.calls.flatMap(({ callId, optional }, index) => {
      const row = rows[index];
      const isLong = row !== undefined && row.onPath && row.spent.failedMs >= durationMs / 10 && row.spent.failedMs > 0;
      return optional && isLong ? [{ callId, failedMs: row.spent.failedMs }] : [];
    }),
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

/** The first one counts if several overlap: two concurrent attempts count as one interval of work. */
const precedence: readonly (keyof Spending)[] = [
  'workMs',
  'runningMs',
  'failedMs',
  'slotMs',
  'hintMs',
  'recoveryMs',
  'backoffMs',
  'lateMs',
  'dependencyMs',
  'placeMs',
  'otherMs',
];

const nothing = (): Record<keyof Spending, number> =>
  Object.fromEntries(precedence.map((entry) => [entry, 0])) as Record<keyof Spending, number>;

/** `undefined`: late work, for which nothing waits. */
function entryOf({ kind, result, wait }: Segment): keyof Spending | undefined {
  switch (kind) {
    case 'attempt':
      return result === 'success' ? 'workMs' : result === 'running' ? 'runningMs' : 'failedMs';
    case 'queue':
      return wait === 'concurrency' ? 'slotMs' : wait === 'retry_after' ? 'hintMs' : 'recoveryMs';
    case 'backoff':
      return 'backoffMs';
    case 'dependency':
      return 'dependencyMs';
    case 'place':
      return 'placeMs';
    case 'prepare':
      return 'otherMs';
    case 'late':
      return undefined;
  }
}

interface Interval {
  readonly fromMs: number;
  readonly toMs: number;
  readonly entry: keyof Spending;
}

const intervalsOf = (call: CallView, endMs: number): readonly Interval[] =>
  call.segments.flatMap((segment) => {
    const entry = entryOf(segment);
    const toMs = Math.min(endMs, segment.endMs ?? endMs);
    if (entry === undefined || toMs <= segment.startMs) return [];
    const lateFromMs = Math.min(toMs, toMs - latenessOf(segment));
    const late = lateFromMs < toMs ? [{ fromMs: Math.max(segment.startMs, lateFromMs), toMs, entry: 'lateMs' as const }] : [];
    return [{ fromMs: segment.startMs, toMs: lateFromMs, entry }, ...late];
  });

function spendingOfCall(call: CallView, endMs: number): Spending {
  const intervals = intervalsOf(call, endMs);
  const start = Math.min(call.startedMs ?? endMs, ...intervals.map(({ fromMs }) => fromMs));
  return sweep(intervals, start, endMs, 'otherMs');
}

/** What is no activity of the turn itself: another call is active then, or none. */
const idle: readonly (keyof Spending)[] = ['dependencyMs', 'placeMs', 'otherMs'];

function spendingOfTurn(calls: readonly CallView[], durationMs: number): Spending {
  const all = calls.flatMap((call) => intervalsOf(call, durationMs)).filter(({ entry }) => !idle.includes(entry));
  return sweep(all, 0, durationMs, 'otherMs');
}

/** Sweeps over the starts and ends once. */
function sweep(all: readonly Interval[], fromMs: number, toMs: number, rest: keyof Spending): Spending {
  const [spent, open] = [nothing(), nothing()];
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
  const total = nothing();
  for (const spent of all) for (const entry of precedence) total[entry] += spent[entry];
  return total;
}
