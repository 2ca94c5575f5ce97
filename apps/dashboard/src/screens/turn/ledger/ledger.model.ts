/**
 * Owns the ledger of a turn's time: what each call and the turn as a whole spent on work and on waits, and what remained of the deadline when each call began.
 *
 * Invariants
 * 1. The entries of a call add up to the time from the begin of the turn (or of the call, for a lone one) to its end: nothing is counted twice.
 * 2. The entries of the turn add up to its duration. A moment in which calls do different things counts for the first of work, queue, backoff.
 */
import type { CallView, Segment, TurnView } from '@holdfast/core/turn-view';

export interface Spending {
  readonly workMs: number;
  readonly backoffMs: number;
  readonly queueMs: number;
  /** For calls it depends on. */
  readonly dependencyMs: number;
  /** For a place among the calls of the turn. */
  readonly placeMs: number;
  /** Our own steps. In a turn: nothing was going on, so a model thought, or nobody did anything. */
  readonly otherMs: number;
}

export interface LedgerRow {
  readonly callId: string;
  readonly toolName: string;
  readonly index: number;
  readonly startedMs: number | undefined;
  readonly endedMs: number | undefined;
  readonly spent: Spending;
  /** From its begin to its end. */
  readonly ownMs: number;
  /** Of the deadline, when it began; absent without one, and for calls that did not begin. */
  readonly leftAtStartMs: number | undefined;
  readonly onPath: boolean;
}

export interface Ledger {
  readonly durationMs: number;
  readonly timeoutMs: number | undefined;
  /** Of the deadline, not used. Negative never: what came late was not waited for. */
  readonly unspentMs: number | undefined;
  readonly turn: Spending;
  /** Along the chain of calls that took longest. */
  readonly path: Spending;
  /** Of all calls together, beside each other: may be more than the duration. */
  readonly all: Spending;
  readonly rows: readonly LedgerRow[];
}

export function ledger(view: TurnView, path: readonly string[]): Ledger {
  const durationMs = view.durationMs ?? view.elapsedMs;
  const onPath = new Set(path);
  const rows = view.calls.map((call) => rowOf(call, view, durationMs, onPath));
  return {
    durationMs,
    timeoutMs: view.timeoutMs,
    unspentMs: view.timeoutMs === undefined ? undefined : Math.max(0, view.timeoutMs - durationMs),
    turn: ofTurn(view.calls, durationMs),
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
    spent: ofCall(call, end),
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

/** What comes first counts where several continue at once: a hedged attempt beside another is one stretch of work. */
const precedence: readonly (keyof Spending)[] = ['workMs', 'queueMs', 'backoffMs', 'dependencyMs', 'placeMs', 'otherMs'];

interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
  readonly entry: keyof Spending;
}

const stretches = (call: CallView, endMs: number): readonly Stretch[] =>
  call.segments.flatMap((segment) => {
    const entry = entryOf[segment.kind];
    const toMs = Math.min(endMs, segment.endMs ?? endMs);
    return entry === undefined || toMs <= segment.startMs ? [] : [{ fromMs: segment.startMs, toMs, entry }];
  });

function ofCall(call: CallView, endMs: number): Spending {
  const own = stretches(call, endMs);
  const begin = Math.min(call.startedMs ?? endMs, ...own.map(({ fromMs }) => fromMs));
  return swept(own, begin, endMs, 'otherMs');
}

function ofTurn(calls: readonly CallView[], durationMs: number): Spending {
  const work: readonly (keyof Spending)[] = ['workMs', 'queueMs', 'backoffMs'];
  const all = calls.flatMap((call) => stretches(call, durationMs)).filter(({ entry }) => work.includes(entry));
  return swept(all, 0, durationMs, 'otherMs');
}

/** Walks over begins and ends once. */
function swept(all: readonly Stretch[], fromMs: number, toMs: number, rest: keyof Spending): Spending {
  const spent: Record<keyof Spending, number> = { ...nothing };
  const open: Record<keyof Spending, number> = { ...nothing };
  const marks = all
    .flatMap(({ fromMs: at, toMs: until, entry }) => [
      { at, step: 1, entry },
      { at: until, step: -1, entry },
    ])
    .toSorted((a, b) => a.at - b.at);
  let last = fromMs;
  const pass = (at: number): void => {
    const until = Math.min(Math.max(at, fromMs), toMs);
    if (until > last) spent[precedence.find((entry) => open[entry] > 0) ?? rest] += until - last;
    last = Math.max(last, until);
  };
  for (const { at, step, entry } of marks) {
    pass(at);
    open[entry] += step;
  }
  pass(toMs);
  return spent;
}

function sum(all: readonly Spending[]): Spending {
  const total: Record<keyof Spending, number> = { ...nothing };
  for (const spent of all) for (const entry of precedence) total[entry] += spent[entry];
  return total;
}
