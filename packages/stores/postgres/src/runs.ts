/**
 * Owns which run each event of a batch belongs to: from the batch, from the writer's memory, otherwise from the database.
 *
 * 1. A slot is a run as the batch sees it. Two slots may turn out to be one run that continues by its execution id.
 * 2. A deleted run stays deleted: its further events are ignored and do not count as dropped.
 * 3. Each `seq` occurs once in a slot: of repetitions within the batch only the first is written, and contradictions are counted.
 */
import type { Entry } from './entry.ts';

/** What the writer knows of the run that a turn id continues with. */
export interface RunState {
  readonly run: number;
  readonly ended: boolean;
  readonly deleted: boolean;
}

export interface Slot {
  readonly turnId: string;
  readonly executionKey: string | undefined;
  /** Whether the run is not known to be in the database. */
  isNew: boolean;
  run: number;
  ended: boolean;
  deleted: boolean;
  readonly entries: Map<number, Entry>;
}

export interface Allotment {
  readonly slots: readonly Slot[];
  /** The events to be written, in the order of appending. */
  readonly kept: readonly { readonly slot: Slot; readonly entry: Entry }[];
  /** The slot with which each turn id continues. */
  readonly last: ReadonlyMap<string, Slot>;
  readonly dropped: number;
}

/** Turn ids whose run is not known and does not begin in the batch. */
export function unknownTurns(entries: readonly Entry[], known: ReadonlyMap<string, RunState>): readonly string[] {
  const met = new Set<string>();
  const unknown: string[] = [];
  for (const { turnId, seq } of entries) {
    if (met.has(turnId)) continue;
    met.add(turnId);
    if (seq !== 1 && !known.has(turnId)) unknown.push(turnId);
  }
  return unknown;
}

/** Assigns every event to its slot; new runs take their numbers from `runs`. */
export function allot(entries: readonly Entry[], known: (turnId: string) => RunState | undefined, runs: readonly number[]): Allotment {
  const slots: Slot[] = [];
  const kept: { readonly slot: Slot; readonly entry: Entry }[] = [];
  const last = new Map<string, Slot>();
  const executions = new Map<string, Slot>();
  let dropped = 0;
  let used = 0;

  const add = (slot: Slot): Slot => {
    slots.push(slot);
    return slot;
  };

  const begin = ({ turnId, executionKey }: Entry): Slot => {
    const run = runs[used];
    if (run === undefined) throw new Error('fewer numbers than runs');
    used += 1;
    return add({ turnId, executionKey, isNew: true, run, ended: false, deleted: false, entries: new Map() });
  };

  const slotOf = (entry: Entry): Slot => {
    if (entry.seq === 1) {
      const slot = (entry.executionKey === undefined ? undefined : executions.get(entry.executionKey)) ?? begin(entry);
      if (entry.executionKey !== undefined) executions.set(entry.executionKey, slot);
      return slot;
    }
    const slot = last.get(entry.turnId);
    if (slot !== undefined) return slot;
    const state = known(entry.turnId);
    return state === undefined
      ? begin({ ...entry, executionKey: undefined })
      : add({ turnId: entry.turnId, executionKey: undefined, isNew: false, ...state, entries: new Map() });
  };

  for (const entry of entries) {
    const slot = slotOf(entry);
    last.set(entry.turnId, slot);
    const same = slot.entries.get(entry.seq);
    if (same === undefined) {
      slot.entries.set(entry.seq, entry);
      kept.push({ slot, entry });
    } else if (same.body !== entry.body && !slot.deleted) dropped += 1;
  }
  return { slots, kept, last, dropped };
}

/** How many run numbers `allot` may need. */
export function newRunsAtMost(entries: readonly Entry[], unknown: readonly string[]): number {
  return entries.filter(({ seq }) => seq === 1).length + unknown.length;
}

/** What events change in the summary of their run. */
export interface RunChange {
  readonly run: number;
  readonly startedAt: number;
  readonly lastAt: number;
  readonly endedAt: number | null;
  readonly outcome: string | null;
  readonly summary: string | null;
  readonly planned: number;
  readonly completed: number;
  readonly events: number;
}

export function changeOf(run: number, entries: readonly Entry[]): RunChange {
  const end = entries.findLast((entry) => entry.end !== undefined);
  return {
    run,
    startedAt: entries[0]?.atMs ?? 0,
    lastAt: entries.reduce((latest, { atMs }) => Math.max(latest, atMs), 0),
    endedAt: end?.atMs ?? null,
    outcome: end?.end?.outcome ?? null,
    summary: end?.end?.summary ?? null,
    planned: entries.reduce((sum, { planned }) => sum + planned, 0),
    completed: entries.reduce((sum, { completed }) => sum + completed, 0),
    events: entries.length,
  };
}
