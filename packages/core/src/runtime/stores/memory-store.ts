/**
 * Owns the store that lasts as long as the process: a bounded ring of turns. Does not own durability.
 *
 * Invariants
 * 1. Never more than `maxEvents` events and `maxTurns` runs. Whole runs are removed, the one that ended first before all others.
 * 2. Where only running turns are left, the oldest of them is removed and its events count as dropped; the run that is being appended to
 *    stays, and events that do not fit are dropped.
 * 3. An event of an unknown turn is dropped and counted, so no run lacks its beginning.
 * 4. `append` costs the same however much is stored.
 * 5. `current` is the run that its turn id continues, if any.
 */
import type { CircuitSnapshot } from '../../engine/breaker/types.ts';
import type { EventQuery, Store, TurnQuery, TurnSummary } from '../../engine/ports/store.ts';
import type { TraceEvent } from '../../engine/trace/events.ts';
import { addRun, createRunList, removeRun, runsOf } from './run-list.ts';
import { executionIdOf, place, startOf, startRun, summarize, type MemoryRun, type MemoryTurn, type RunList } from './memory-run.ts';

/** Limits of a memory store. The turns that ended first are removed first. */
export interface MemoryStoreOptions {
  /** @default 100000 */
  readonly maxEvents?: number;
  /** @default 1000 */
  readonly maxTurns?: number;
}

const batchSize = 500;

/** Keeps turns and circuits in memory, bounded. Throws a `RangeError` when a limit is not a whole number of at least 1. */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  const maxEvents = limitOf('maxEvents', options.maxEvents ?? 100_000);
  const maxTurns = limitOf('maxTurns', options.maxTurns ?? 1_000);
  const byId = new Map<string, MemoryTurn>();
  const running = createRunList();
  const ended = createRunList();
  const circuits = new Map<string, CircuitSnapshot>();
  let current: MemoryRun | undefined;
  let stored = 0;
  let appended = 0;
  let runs = 0;
  let dropped = 0;
  let closed = false;

  const forget = (run: MemoryRun): void => {
    removeRun(run);
    stored -= run.events.length;
    if (current === run) current = undefined;
    const turn = byId.get(run.turnId);
    if (turn === undefined) return;
    turn.runs.splice(turn.runs.indexOf(run), 1);
    const latest = turn.runs.at(-1);
    if (latest === undefined) byId.delete(run.turnId);
    else if (turn.current === run) turn.current = latest;
  };

  /** Makes room by removing one run; returns false when only the one to keep is left. */
  const evict = (keep: MemoryRun | undefined): boolean => {
    const old = oldestExcept(keep, ended);
    const run = old ?? oldestExcept(keep, running);
    if (run === undefined) return false;
    forget(run);
    if (old === undefined) dropped += run.events.length;
    return true;
  };

  const open = (turnId: string, executionId: string | undefined): MemoryRun => {
    while (running.size + ended.size >= maxTurns && evict(undefined));
    runs += 1;
    const run = startRun(turnId, runs, executionId);
    addRun(running, run);
    const turn = byId.get(turnId);
    if (turn === undefined) byId.set(turnId, { runs: [run], current: run });
    else {
      turn.runs.push(run);
      turn.current = run;
    }
    return run;
  };

  const continueRun = (turnId: string, executionId: string): MemoryRun | undefined => {
    const turn = byId.get(turnId);
    const run = turn?.runs.find((one) => one.executionId === executionId);
    if (turn !== undefined && run !== undefined) turn.current = run;
    return run;
  };

  const runOf = (event: TraceEvent): MemoryRun | undefined => {
    const turnId = event.turn_id;
    if (event.seq !== 1) return current?.turnId === turnId ? current : byId.get(turnId)?.current;
    const executionId = executionIdOf(event);
    return (executionId === undefined ? undefined : continueRun(turnId, executionId)) ?? open(turnId, executionId);
  };

  const keep = (event: TraceEvent): void => {
    const run = runOf(event);
    if (run === undefined || (stored >= maxEvents && !evict(run))) {
      dropped += 1;
      return;
    }
    current = run;
    const placed = place(run, event, appended);
    if (placed !== 'new') {
      if (placed === 'conflict') dropped += 1;
      return;
    }
    appended += 1;
    stored += 1;
    if (run.ended !== undefined && run.list === running) {
      removeRun(run);
      addRun(ended, run);
    }
  };

  const allRuns = (): readonly MemoryRun[] => [...runsOf(ended), ...runsOf(running)].toSorted((one, other) => one.run - other.run);

  return {
    append(events) {
      if (closed) dropped += events.length;
      else for (const event of events) keep(event);
    },
    async flush() {},
    async close() {
      closed = true;
    },
    status() {
      return closed ? { ok: false, dropped, problem: 'The store is closed.' } : { ok: true, dropped };
    },
    async readTurn(turnId, run) {
      const sameId = byId.get(turnId)?.runs ?? [];
      const found = run === undefined ? sameId.at(-1) : sameId.find((one) => one.run === run);
      return found === undefined ? undefined : [...found.events];
    },
    async listTurns(query = {}) {
      return listSummaries(allRuns(), query, closed);
    },
    async *readEvents(query = {}) {
      const found = selectEvents(allRuns(), query);
      for (let at = 0; at < found.length; at += batchSize) yield found.slice(at, at + batchSize);
    },
    saveCircuits(snapshots) {
      if (closed) return;
      for (const [toolId, snapshot] of snapshots) {
        const before = circuits.get(toolId);
        if (before === undefined || snapshot.savedAtEpochMs >= before.savedAtEpochMs) circuits.set(toolId, snapshot);
      }
    },
    async loadCircuits() {
      return new Map(circuits);
    },
  };
}

/** The first run of a list, skipping one. */
function oldestExcept(run: MemoryRun | undefined, { first }: RunList): MemoryRun | undefined {
  return first !== undefined && first === run ? first.behind : first;
}

function listSummaries(runs: readonly MemoryRun[], query: TurnQuery, closed: boolean): readonly TurnSummary[] {
  const { limit = 50, after, before = Infinity, since = -Infinity } = query;
  return runs
    .map((run) => ({ run, startedAt: startOf(run) }))
    .filter(({ startedAt }) => startedAt >= since && startedAt < before)
    .toSorted((one, other) => other.startedAt - one.startedAt || other.run.run - one.run.run)
    .filter(({ run, startedAt }) => {
      if (after === undefined || startedAt < after.startedAt) return true;
      return startedAt === after.startedAt && run.run < after.run;
    })
    .slice(0, Math.max(0, limit))
    .map(({ run }) => summarize(run, closed));
}

function selectEvents(runs: readonly MemoryRun[], query: EventQuery): readonly TraceEvent[] {
  const { since = -Infinity, until = Infinity, eventTypes } = query;
  const types = eventTypes === undefined ? undefined : new Set<string>(eventTypes);
  const unlimited = since === -Infinity && until === Infinity;
  const wanted = (event: TraceEvent): boolean => {
    if (types?.has(event.event_type) === false) return false;
    if (unlimited) return true;
    const at = Date.parse(event.timestamp);
    return at >= since && at < until;
  };
  return runs
    .flatMap((run) => run.events.map((event, at) => ({ event, ordinal: run.ordinals[at] ?? 0 })))
    .filter(({ event }) => wanted(event))
    .toSorted((one, other) => one.ordinal - other.ordinal)
    .map(({ event }) => event);
}

function limitOf(field: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new RangeError(`memoryStore: ${field} is ${String(value)}; use a whole number of at least 1.`);
}
