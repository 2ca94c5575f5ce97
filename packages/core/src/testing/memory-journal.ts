/**
 * Owns an in-memory durable engine for tests: a journal that outlives its processes, which die where the test decides. Does not own the turn.
 *
 * Invariants
 * 1. A command is journaled once, its result at most once; results and timers become entries in the order of their arrival.
 * 2. When a process dies, another one takes over from the journal; one process is alive at a time.
 * 3. Time is that of the system. A journaled timer continues while no process is alive.
 */
import type { JournalEntry } from '../distributed/journal/turn-journal.ts';
import { systemRule, type System, type TimerHandle } from '../engine/ports/system.ts';
import { checkOptions } from '../engine/settings/check-options.ts';
import type { Fields } from '../engine/settings/check.ts';
import { count, delay } from '../engine/settings/fields.ts';
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
  readonly maxBytes?: number;
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

const journalFields: Fields = { system: systemRule, dies: 'function', choose: 'function', takeOverMs: delay, maxBytes: count };

/** Creates an empty journal for one turn. @throws TypeError | RangeError for an invalid option */
export function memoryJournal(options: MemoryJournalOptions): MemoryJournal {
  checkOptions(journalFields, options, 'memoryJournal', ['system']);
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
  readonly maxBytes: number | undefined;
  deaths = 0;
  readonly #options: MemoryJournalOptions;
  readonly #done = new Set<number>();
  readonly #timers = new Set<TimerHandle>();
  #points = 0;
  #processes = 0;
  /** The process that runs the turn; `undefined` once the turn has ended. */
  #working: WorkingProcess | undefined;
  /** The last process: work that outlives the turn continues in it. */
  #latest: WorkingProcess | undefined;
  #startNext: () => void = ignore;
  #fail: (problem: string) => void = ignore;

  constructor(options: MemoryJournalOptions) {
    this.#options = options;
    this.maxBytes = options.maxBytes;
  }

  run<Result>(start: StartProcess<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#fail = (problem) => {
        this.#latest?.die();
        this.#end();
        reject(new Error(problem));
      };
      this.#startNext = () => {
        const process = this.#nextProcess();
        const settle = (resolveOrReject: () => void): void => {
          if (this.#working !== process) return;
          this.#end();
          resolveOrReject();
        };
        Promise.resolve(process)
          .then(start)
          .then(
            (result) => settle(() => resolve(result)),
            (error: Error) => settle(() => reject(error)),
          );
      };
      this.#startNext();
    });
  }

  kill(): void {
    if (!this.#working?.alive) return;
    this.#working.die();
    this.deaths += 1;
    const { system, takeOverMs = 0 } = this.#options;
    if (takeOverMs > 0) system.setTimer(takeOverMs, this.#startNext);
    else system.defer(this.#startNext);
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
    if (!this.reach('entry', name)) this.#working?.proceed();
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
  // Replaced before it can be called.
}
