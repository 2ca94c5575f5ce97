/**
 * Owns one process that runs a turn: its commands to the journal and the entries that it got. Does not own the journal (`memory-journal.ts`).
 *
 * Invariants
 * 1. Its commands are those in the journal, in the same order and between the same entries; otherwise the run fails with the position.
 * 2. Work starts only when the turn waits for an entry that the journal does not have yet: existing entries are delivered first.
 * 3. Once it is dead, its commands, results and waits have no effect.
 */
import { bytesOf, fitsInto } from '../distributed/journal/text-size.ts';
import type { JournalEntry, TurnJournal } from '../distributed/journal/turn-journal.ts';
import type { System } from '../engine/ports/system.ts';
import type { MortalSystem } from './mortal-system.ts';

/** A step or a timer that the turn has requested. */
export interface JournalCommand {
  /** The kind of command. */
  readonly type: 'step' | 'timer';
  /** Name of the step or timer. */
  readonly name: string;
  /** The number of entries that the turn had got before the request. */
  readonly after: number;
}

/** A moment at which a process may die. */
export interface DeathPoint {
  /**
   * `command`: the command is journaled and has no effect yet. `begun`: the step's work is running. `result`: the work has finished, and its result is not journaled
   * yet. `entry`: the result is journaled, and the turn has not got it yet.
   */
  readonly at: 'command' | 'begun' | 'result' | 'entry';
  /** Name of the step or timer. */
  readonly name: string;
  /** Position among all points of all processes of the run, from 0. */
  readonly index: number;
  /** Number of the process, from 1. */
  readonly process: number;
}

/** The journal as its processes use it. */
export interface SharedJournal {
  readonly commands: readonly JournalCommand[];
  readonly entries: readonly JournalEntry[];
  /** Maximum size of a step's text. */
  readonly maxBytes: number | undefined;
  isDone(command: number): boolean;
  /** Journals a new command. */
  addCommand(command: JournalCommand, delayMs?: number): void;
  addResult(command: number, text: string): void;
  /** Returns whether the process dies at the point. */
  reach(at: DeathPoint['at'], name: string): boolean;
  fail(problem: string): void;
  /** Chooses the next of several tasks that may run in any order. */
  choose(count: number): number;
}

/** A process that runs the turn, started by `MemoryJournal.run`. */
export interface JournalProcess {
  /** Number of the process, from 1. */
  readonly number: number;
  /** The journal of the turn. */
  readonly journal: TurnJournal;
  /** The clocks and timers of the process. Its timers are cleared when it dies. */
  readonly system: System;
  /** False once the process has died. */
  readonly alive: boolean;
}

type Task = () => void;

export class WorkingProcess implements JournalProcess, TurnJournal {
  readonly number: number;
  readonly system: MortalSystem;
  alive = true;
  readonly #shared: SharedJournal;
  /** The number of commands so far. */
  #requested = 0;
  /** The number of entries that the turn has got. */
  #delivered = 0;
  #waiting: ((entry: JournalEntry) => void) | undefined;
  /** Work that has not started; it may start in any order. */
  #work: Task[] = [];
  /** Results that are not journaled, in order. */
  #results: Task[] = [];
  #isBusy = false;

  constructor(shared: SharedJournal, system: MortalSystem, number: number) {
    this.#shared = shared;
    this.system = system;
    this.number = number;
  }

  get journal(): TurnJournal {
    return this;
  }

  get maxBytes(): number | undefined {
    return this.#shared.maxBytes;
  }

  step(name: string, work: () => Promise<string>): void {
    const index = this.#request({ type: 'step', name, after: this.#delivered });
    if (index === undefined || this.#shared.isDone(index)) return;
    this.#work.push(() => void this.#perform(index, name, work));
    this.proceed();
  }

  timer(name: string, delayMs: number): void {
    this.#request({ type: 'timer', name, after: this.#delivered }, delayMs);
  }

  next(): Promise<JournalEntry> {
    if (!this.alive) return new Promise(() => {});
    if (this.#waiting) this.#shared.fail('The turn requests the next entry while it waits for one.');
    return new Promise((resolve) => {
      this.#waiting = resolve;
      this.proceed();
    });
  }

  /** Delivers an entry to the waiting turn, or runs one task: one at a time, so that journaled entries are delivered first. */
  proceed(): void {
    if (this.#isBusy || !this.#waiting) return;
    this.#isBusy = true;
    this.system.defer(() => {
      this.#isBusy = false;
      const entry = this.#shared.entries[this.#delivered];
      if (entry) this.#deliver(entry);
      else this.#runTask();
      if (this.#work.length + this.#results.length > 0) this.proceed();
    });
  }

  #runTask(): void {
    const choice = this.#shared.choose(this.#work.length + Math.min(this.#results.length, 1));
    if (choice < this.#work.length) this.#work.splice(choice, 1)[0]?.();
    else this.#results.shift()?.();
  }

  #deliver(entry: JournalEntry): void {
    const missing = this.#shared.commands[this.#requested];
    if (missing && missing.after <= this.#delivered)
      return this.#shared.fail(`${this.#position()} the journal has ${format(missing)}; the turn has not requested it.`);
    const resolve = this.#waiting;
    this.#waiting = undefined;
    this.#delivered += 1;
    resolve?.(entry);
  }

  die(): void {
    this.alive = false;
    this.#waiting = undefined;
    this.#work = [];
    this.#results = [];
    this.system.die();
  }

  /** Returns the number of the command; `undefined` if the process is dead. */
  #request(command: JournalCommand, delayMs?: number): number | undefined {
    if (!this.alive) return undefined;
    const index = this.#requested++;
    const journaled = this.#shared.commands[index];
    if (!journaled) this.#shared.addCommand(command, delayMs);
    else if (journaled.type !== command.type || journaled.name !== command.name || journaled.after !== command.after)
      this.#shared.fail(`${this.#position()} the turn requests ${format(command)}; the journal has ${format(journaled)}.`);
    return this.alive ? index : undefined;
  }

  async #perform(index: number, name: string, work: () => Promise<string>): Promise<void> {
    let text: unknown;
    try {
      const working = work();
      if (this.#shared.reach('begun', name)) return;
      text = await working;
    } catch (error) {
      if (this.alive) this.#shared.fail(`The work of step ${name} rejects: ${String(error)}. Its text must contain the failure.`);
      return;
    }
    if (!this.alive) return;
    if (typeof text !== 'string') return this.#shared.fail(`The work of step ${name} resolves to ${typeof text} instead of a string.`);
    const { maxBytes = Number.POSITIVE_INFINITY } = this;
    if (!fitsInto(text, maxBytes))
      return this.#shared.fail(`The text of step ${name} has ${bytesOf(text)} bytes, but the journal's limit is ${maxBytes}.`);
    this.#results.push(() => void (this.#shared.reach('result', name) || this.#shared.addResult(index, text)));
    this.proceed();
  }

  #position(): string {
    return `Journal mismatch in process ${this.number} at command ${this.#requested}, after ${this.#delivered} entries:`;
  }
}

function format({ type, name, after }: JournalCommand): string {
  return `${type} '${name}' (after ${after} entries)`;
}
