/**
 * Owns the store that lasts as long as the process. Does not own durability, or what is kept of the events (`memory-ring.ts`).
 */
import { checkOptions } from '../../engine/settings/check-options.ts';
import { count } from '../../engine/settings/fields.ts';
import type { CircuitSnapshot } from '../../engine/breaker/types.ts';
import type { EventQuery, Store, TurnQuery, TurnSummary } from '../../engine/ports/store.ts';
import type { MemoryEntry } from '../../engine/recover/memory-entry.ts';
import type { TraceEvent } from '../../engine/trace/events.ts';
import { addMemory } from './add-memory.ts';
import { MemoryRing } from './memory-ring.ts';
import { startOf, summarize, type MemoryRun } from './memory-run.ts';

/** Limits of a memory store. The turns that ended first are removed first. */
export interface MemoryStoreOptions {
  /** @default 100000 */
  readonly maxEvents?: number;
  /** @default 1000 */
  readonly maxTurns?: number;
}

const batchSize = 500;

/**
 * Keeps turns, circuits and what was learned in memory, bounded.
 * @throws TypeError | RangeError for an unknown option, or a limit that is not a whole number of at least 1
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  checkOptions({ maxEvents: count, maxTurns: count }, options, 'memoryStore');
  const { maxEvents = 100_000, maxTurns = 1_000 } = options;
  const ring = new MemoryRing(maxEvents, maxTurns);
  const circuits = new Map<string, CircuitSnapshot>();
  let learned: ReadonlyMap<string, MemoryEntry> = new Map();
  let lateEvents = 0;
  let closed = false;

  return {
    append(events) {
      if (closed) lateEvents += events.length;
      else for (const event of events) ring.add(event);
    },
    async flush() {},
    async close() {
      closed = true;
    },
    status() {
      const dropped = ring.dropped + lateEvents;
      return closed ? { ok: false, dropped, problem: 'The store is closed.' } : { ok: true, dropped };
    },
    async readTurn(turnId, run) {
      const sameId = ring.runsOf(turnId);
      const found = run === undefined ? sameId.at(-1) : sameId.find((one) => one.run === run);
      return found === undefined ? undefined : [...found.events];
    },
    async listTurns(query = {}) {
      return listSummaries(ring.all(), query, closed);
    },
    async *readEvents(query = {}) {
      const found = selectEvents(ring.all(), query);
      for (let at = 0; at < found.length; at += batchSize) yield found.slice(at, at + batchSize);
    },
    saveCircuits(snapshots) {
      if (closed) return;
      for (const [toolName, snapshot] of snapshots) {
        const before = circuits.get(toolName);
        if (before === undefined || snapshot.savedAtEpochMs >= before.savedAtEpochMs) circuits.set(toolName, snapshot);
      }
    },
    async loadCircuits() {
      return new Map(circuits);
    },
    addMemory(more) {
      if (!closed) learned = addMemory(learned, more);
    },
    async loadMemory() {
      return [...learned.values()];
    },
  };
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
  const { since = -Infinity, until = Infinity, eventTypes, newest = Infinity } = query;
  const types = eventTypes === undefined ? undefined : new Set<string>(eventTypes);
  const unlimited = since === -Infinity && until === Infinity;
  const matches = (event: TraceEvent): boolean => {
    if (types?.has(event.event_type) === false) return false;
    if (unlimited) return true;
    const at = Date.parse(event.timestamp);
    return at >= since && at < until;
  };
  const events = runs.flatMap((run) => run.events.map((event, at) => ({ event, ordinal: run.ordinals[at] ?? 0 })));
  const inOrder = (found: typeof events): typeof events => found.toSorted((one, other) => one.ordinal - other.ordinal);
  const looked = newest === Infinity ? events : inOrder(events).slice(Math.max(0, events.length - newest));
  return inOrder(looked.filter(({ event }) => matches(event))).map(({ event }) => event);
}
