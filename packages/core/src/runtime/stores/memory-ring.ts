/**
 * Owns the bounded ring of runs: which run an event belongs to, and which run goes when there is no room.
 *
 * Invariants
 * 1. Never more than `maxEvents` events and `maxTurns` runs. Whole runs are removed, the one that ended first before all others.
 * 2. Where only running turns are left, the oldest of them is removed and its events count as dropped; the run that is being appended to
 *    stays, and events that do not fit are dropped.
 * 3. An event of an unknown turn is dropped and counted, so no run lacks its beginning.
 * 4. `add` costs the same however much is stored.
 * 5. `current` is the run that its turn id continues, if any.
 */
import type { TraceEvent } from '../../engine/trace/events.ts';
import { addRun, createRunList, removeRun, runsOf } from './run-list.ts';
import { executionIdOf, place, startRun, type MemoryRun, type MemoryTurn, type RunList } from './memory-run.ts';

export class MemoryRing {
  readonly #maxEvents: number;
  readonly #maxTurns: number;
  readonly #byId = new Map<string, MemoryTurn>();
  readonly #running = createRunList();
  readonly #ended = createRunList();
  #current: MemoryRun | undefined;
  #stored = 0;
  #appended = 0;
  #runs = 0;
  #dropped = 0;

  constructor(maxEvents: number, maxTurns: number) {
    this.#maxEvents = maxEvents;
    this.#maxTurns = maxTurns;
  }

  get dropped(): number {
    return this.#dropped;
  }

  /** Of one turn id, the oldest first. */
  runsOf(turnId: string): readonly MemoryRun[] {
    return this.#byId.get(turnId)?.runs ?? [];
  }

  /** The oldest first. */
  all(): readonly MemoryRun[] {
    return [...runsOf(this.#ended), ...runsOf(this.#running)].toSorted((one, other) => one.run - other.run);
  }

  add(event: TraceEvent): void {
    const run = this.#runOf(event);
    if (run === undefined || (this.#stored >= this.#maxEvents && !this.#evict(run))) {
      this.#dropped += 1;
      return;
    }
    this.#current = run;
    const placed = place(run, event, this.#appended);
    if (placed !== 'new') {
      if (placed === 'conflict') this.#dropped += 1;
      return;
    }
    this.#appended += 1;
    this.#stored += 1;
    if (run.ended !== undefined && run.list === this.#running) {
      removeRun(run);
      addRun(this.#ended, run);
    }
  }

  #runOf(event: TraceEvent): MemoryRun | undefined {
    const turnId = event.turn_id;
    if (event.seq !== 1) return this.#current?.turnId === turnId ? this.#current : this.#byId.get(turnId)?.current;
    const executionId = executionIdOf(event);
    return (executionId === undefined ? undefined : this.#continue(turnId, executionId)) ?? this.#open(turnId, executionId);
  }

  #continue(turnId: string, executionId: string): MemoryRun | undefined {
    const turn = this.#byId.get(turnId);
    const run = turn?.runs.find((one) => one.executionId === executionId);
    if (turn !== undefined && run !== undefined) turn.current = run;
    return run;
  }

  #open(turnId: string, executionId: string | undefined): MemoryRun {
    while (this.#running.size + this.#ended.size >= this.#maxTurns && this.#evict(undefined));
    this.#runs += 1;
    const run = startRun(turnId, this.#runs, executionId);
    addRun(this.#running, run);
    const turn = this.#byId.get(turnId);
    if (turn === undefined) this.#byId.set(turnId, { runs: [run], current: run });
    else {
      turn.runs.push(run);
      turn.current = run;
    }
    return run;
  }

  /** Makes room by removing one run; returns false when only the one to keep is left. */
  #evict(keep: MemoryRun | undefined): boolean {
    const old = oldestExcept(keep, this.#ended);
    const run = old ?? oldestExcept(keep, this.#running);
    if (run === undefined) return false;
    this.#forget(run);
    if (old === undefined) this.#dropped += run.events.length;
    return true;
  }

  #forget(run: MemoryRun): void {
    removeRun(run);
    this.#stored -= run.events.length;
    if (this.#current === run) this.#current = undefined;
    const turn = this.#byId.get(run.turnId);
    if (turn === undefined) return;
    turn.runs.splice(turn.runs.indexOf(run), 1);
    const latest = turn.runs.at(-1);
    if (latest === undefined) this.#byId.delete(run.turnId);
    else if (turn.current === run) turn.current = latest;
  }
}

/** The first run of a list, skipping one. */
function oldestExcept(run: MemoryRun | undefined, { first }: RunList): MemoryRun | undefined {
  return first !== undefined && first === run ? first.behind : first;
}
