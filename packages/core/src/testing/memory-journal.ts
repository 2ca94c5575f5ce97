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
export function memoryJournal(options: MemoryJournalOptions): MemoryJournal {
  const engine = new Engine(options);
  const { commands, entries } = engine;
  return {
    commands,
    entries,
    get deaths() {
      return engine.deaths;
    },
    kill: () => engine.kill(),
    cancel: (reason) => engine.cancel(reason),
    run: (start) => engine.run(start),
  };
}

class Engine implements SharedJournal {
  readonly commands: JournalCommand[] = [];
  readonly entries: JournalEntry[] = [];
  readonly mostBytes: number | undefined;
  deaths = 0;
  readonly #options: MemoryJournalOptions;
  readonly #done = new Set<number>();
  readonly #timers = new Set<TimerHandle>();
  #points = 0;
  #processes = 0;
  /** The process that works for the turn; `undefined` once it has ended. */
  #working: WorkingProcess | undefined;
  /** The last one: work that outlives its turn continues in it. */
  #latest: WorkingProcess | undefined;
  #begin: () => void = ignore;
  #fail: (problem: string) => void = ignore;

  constructor(options: MemoryJournalOptions) {
    this.#options = options;
    this.mostBytes = options.mostBytes;
  }

  run<Answer>(start: StartProcess<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#fail = (problem) => {
        this.#latest?.die();
        this.#end();
        reject(new Error(problem));
      };
      this.#begin = () => {
        const process = this.#nextProcess();
        const settle = (how: () => void): void => {
          if (this.#working !== process) return;
          this.#end();
          how();
        };
        Promise.resolve(process)
          .then(start)
          .then(
            (answer) => settle(() => resolve(answer)),
            (error: Error) => settle(() => reject(error)),
          );
      };
      this.#begin();
    });
  }

  kill(): void {
    if (!this.#working?.alive) return;
    this.#working.die();
    this.deaths += 1;
    const { system, takeOverMs = 0 } = this.#options;
    if (takeOverMs > 0) system.setTimer(takeOverMs, this.#begin);
    else system.defer(this.#begin);
  }

  cancel(reason: string | undefined): void {
    this.#add({ type: 'cancelled', ...(reason === undefined ? {} : { reason }) });
  }

  reach(at: DeathPoint['at'], name: string): boolean {
    if (!this.#working?.alive) return true;
    const index = this.#points++;
    if (!this.#options.dies?.({ at, name, index, process: this.#working.number })) return false;
    this.kill();
    return true;
  }

  choose(count: number): number {
    return this.#options.choose?.(count) ?? 0;
  }

  isDone(command: number): boolean {
    return this.#done.has(command);
  }

  fail(problem: string): void {
    this.#fail(problem);
  }

  addCommand(command: JournalCommand, delayMs?: number): void {
    this.commands.push(command);
    if (delayMs !== undefined)
      this.#timers.add(this.#options.system.setTimer(delayMs, () => this.#add({ type: 'timer', name: command.name })));
    this.reach('command', command.name);
  }

  addResult(command: number, text: string): void {
    this.#done.add(command);
    this.#add({ type: 'step', name: this.commands[command]?.name ?? '', text });
  }

  #add(entry: JournalEntry): void {
    this.entries.push(entry);
    const { name } = entry.type === 'cancelled' ? { name: 'cancelled' } : entry;
    if (!this.reach('entry', name)) this.#working?.goOn();
  }

  #nextProcess(): WorkingProcess {
    this.#latest?.die();
    this.#processes += 1;
    const process = new WorkingProcess(this, mortalSystem(this.#options.system, this.#processes), this.#processes);
    this.#working = this.#latest = process;
    return process;
  }

  #end(): void {
    this.#working = undefined;
    for (const timer of this.#timers) this.#options.system.clearTimer(timer);
  }
}

function ignore(): void {
  // Set before anything can happen.
}
