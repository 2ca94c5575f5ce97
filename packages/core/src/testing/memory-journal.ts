/**
 * Owns a durable engine in memory, for tests: a journal that outlives its processes, which die where the test says. Does not own what a turn makes of it.
 *
 * Invariants
 * 1. A command is journaled once, its result at most once; results and timers become entries in the order in which they come.
 * 2. When a process dies another takes over from the journal; one is alive at a time.
 * 3. Time is the system's. A journaled timer continues while no process lives.
 */
import type { JournalEntry } from '../distributed/journal/turn-journal.ts';
import type { System, TimerHandle } from '../engine/ports/system.ts';
import type { DeathPoint, JournalCommand, JournalProcess, SharedJournal } from './journal-process.ts';
import { WorkingProcess } from './journal-process.ts';
import { mortalSystem } from './mortal-system.ts';

/** Options of `memoryJournal`. */
export interface MemoryJournalOptions {
  /** A manual one, so that nothing waits in real time. */
  readonly system: System;
  /** Asked at each point at which a process may die; `true` kills it there. @default never */
  readonly dies?: (point: DeathPoint) => boolean;
  /**
   * Which of so many things comes next, where the order is nobody's business: which step's work begins, which result is journaled. @default the first
   */
  readonly choose?: (count: number) => number;
  /** How long nobody works for the turn after a death. @default 0 */
  readonly takeOverMs?: number;
  /** What a step's text may take, in bytes of UTF-8. @default no limit */
  readonly mostBytes?: number;
}

/** Begins to work in a process: with a fresh service on its system, on its journal. */
export type StartProcess<Answer> = (process: JournalProcess) => Promise<Answer>;

/** A durable engine in memory, for one turn. */
export interface MemoryJournal {
  /**
   * Starts a process, and another whenever one dies, until one answers. Called again on the same journal it reads it once more, as after a crash at the end.
   * Rejects when a process does, and when turn or work break a duty of `TurnJournal`: with the place and both sides of a journal mismatch.
   */
  run<Answer>(start: StartProcess<Answer>): Promise<Answer>;
  /** Kills the process that works. Nothing happens when none does. */
  kill(): void;
  /** Asks for the turn's end. */
  cancel(reason?: string): void;
  /** Steps and timers that were asked for, in order. */
  readonly commands: readonly JournalCommand[];
  /** What has come into the journal, in order. */
  readonly entries: readonly JournalEntry[];
  /** Processes that have died. */
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
  /** Who works for the turn; nobody once it has ended. */
  let working: WorkingProcess | undefined;
  /** The last one: work that outlives its turn goes on in it. */
  let latest: WorkingProcess | undefined;
  let begin: () => void = ignore;
  let fail: (problem: string) => void = ignore;
  const timers = new Set<TimerHandle>();

  const add = (entry: JournalEntry): void => {
    entries.push(entry);
    const { name } = entry.type === 'cancelled' ? { name: 'cancelled' } : entry;
    if (!reach('entry', name)) working?.goOn();
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
    if (takeOverMs > 0) system.setTimer(takeOverMs, begin);
    else system.defer(begin);
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
    run<Answer>(start: StartProcess<Answer>): Promise<Answer> {
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
        begin = () => {
          latest?.die();
          processes += 1;
          const process = new WorkingProcess(shared, mortalSystem(system, processes), processes);
          working = latest = process;
          const settle = (how: () => void): void => {
            if (working !== process) return;
            end();
            how();
          };
          Promise.resolve(process)
            .then(start)
            .then(
              (answer) => settle(() => resolve(answer)),
              (error: Error) => settle(() => reject(error)),
            );
        };
        begin();
      });
    },
  };
}

function ignore(): void {
  // Set before anything can happen.
}
