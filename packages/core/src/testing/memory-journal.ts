/**
 * Owns an in-memory durable engine for tests: a journal that outlives its processes, which die where the test decides. Does not own the turn.
 *
 * Invariants
 * 1. A command is journaled once, its result at most once; results and timers become entries in the order of their arrival.
 * 2. When a process dies, another one takes over from the journal; one process is alive at a time.
 * 3. Time is that of the system. A journaled timer continues while no process is alive.
 */
import type { JournalEntry } from '../distributed/journal/turn-journal.ts';
import type { System, TimerHandle } from '../engine/ports/system.ts';
import type { DeathPoint, JournalCommand, JournalProcess, SharedJournal } from './journal-process.ts';
import { WorkingProcess } from './journal-process.ts';
import { mortalSystem } from './mortal-system.ts';

/** Options of `memoryJournal`. */
export interface MemoryJournalOptions {
  /** The system, usually a manual one. */
  readonly system: System;
  /** Called at each point at which a process may die; `true` kills it there. @default never */
  readonly dies?: (point: DeathPoint) => boolean;
  /**
   * Chooses the next of several tasks whose order is not defined: the start of a step's work or the journaling of a result. @default the first
   */
  readonly choose?: (count: number) => number;
  /** Time between the death of a process and the start of the next one. @default 0 */
  readonly takeOverMs?: number;
  /** Maximum size of a step's text, in bytes of UTF-8. @default no limit */
  readonly mostBytes?: number;
}

/** Starts the turn in a process, with a new service on the system and the journal of that process. */
export type StartProcess<Result> = (process: JournalProcess) => Promise<Result>;

/** An in-memory durable engine for one turn. */
export interface MemoryJournal {
  /**
   * Starts a process, and another one whenever it dies, until one resolves. Another call replays the same journal, as after a crash at the end. Rejects when a process
   * rejects, and when the turn or its work violates a requirement of `TurnJournal`; the message has the position and both sides of a journal mismatch.
   */
  run<Result>(start: StartProcess<Result>): Promise<Result>;
  /** Kills the running process, if there is one. */
  kill(): void;
  /** Requests the cancellation of the turn. */
  cancel(reason?: string): void;
  /** The requested steps and timers, in order. */
  readonly commands: readonly JournalCommand[];
  /** The entries of the journal, in order. */
  readonly entries: readonly JournalEntry[];
  /** Number of processes that have died. */
  readonly deaths: number;
}

/** Creates an empty journal for one turn. */
export function memoryJournal({
  system,
  dies = () => false,
  choose = () => 0,
  takeOverMs = 0,
  mostBytes,
}: MemoryJournalOptions): MemoryJournal {
  const commands: JournalCommand[] = [];
  const entries: JournalEntry[] = [];
  const done = new Set<number>();
  let points = 0;
  let processes = 0;
  let deaths = 0;
  /** The process that runs the turn; `undefined` once the turn has ended. */
  let working: WorkingProcess | undefined;
  /** The last process: work that outlives the turn continues in it. */
  let latest: WorkingProcess | undefined;
  let startNext: () => void = ignore;
  let fail: (problem: string) => void = ignore;
  const timers = new Set<TimerHandle>();

  const add = (entry: JournalEntry): void => {
    entries.push(entry);
    const { name } = entry.type === 'cancelled' ? { name: 'cancelled' } : entry;
    if (!reach('entry', name)) working?.proceed();
  };
  const reach = (at: DeathPoint['at'], name: string): boolean => {
    if (!working?.alive) return true;
    if (!dies({ at, name, index: points++, process: working.number })) return false;
    kill();
    return true;
  };
  const kill = (): void => {
    if (!working?.alive) return;
    working.die();
    deaths += 1;
    if (takeOverMs > 0) system.setTimer(takeOverMs, startNext);
    else system.defer(startNext);
  };
  const shared: SharedJournal = {
    commands,
    entries,
    mostBytes,
    reach,
    choose,
    isDone: (command) => done.has(command),
    fail: (problem) => fail(problem),
    addCommand(command, delayMs) {
      commands.push(command);
      if (delayMs !== undefined) timers.add(system.setTimer(delayMs, () => add({ type: 'timer', name: command.name })));
      reach('command', command.name);
    },
    addResult(command, text) {
      done.add(command);
      add({ type: 'step', name: commands[command]?.name ?? '', text });
    },
  };

  return {
    commands,
    entries,
    get deaths() {
      return deaths;
    },
    kill,
    cancel(reason) {
      add({ type: 'cancelled', ...(reason === undefined ? {} : { reason }) });
    },
    run<Result>(start: StartProcess<Result>): Promise<Result> {
      return new Promise((resolve, reject) => {
        const end = (): void => {
          working = undefined;
          for (const timer of timers) system.clearTimer(timer);
        };
        fail = (problem) => {
          latest?.die();
          end();
          reject(new Error(problem));
        };
        startNext = () => {
          latest?.die();
          processes += 1;
          const process = new WorkingProcess(shared, mortalSystem(system, processes), processes);
          working = latest = process;
          const settle = (resolveOrReject: () => void): void => {
            if (working !== process) return;
            end();
            resolveOrReject();
          };
          Promise.resolve(process)
            .then(start)
            .then(
              (result) => settle(() => resolve(result)),
              (error: Error) => settle(() => reject(error)),
            );
        };
        startNext();
      });
    },
  };
}

function ignore(): void {
  // Replaced before it can be called.
}
