/**
 * Owns one process that works for a turn: what it has asked of the journal, what it was answered. Does not own the journal (`memory-journal.ts`).
 *
 * Invariants
 * 1. What it asks for is what the journal has, in the same order and between the same answers; else the run fails and says where.
 * 2. Work begins when the turn waits for what the journal does not have yet: what it has is answered first.
 * 3. Once it is dead, nothing that it asks for, finishes or waits for has any consequence.
 */
import { bytesOf, fitsInto } from '../distributed/journal/text-size.ts';
import type { JournalEntry, TurnJournal } from '../distributed/journal/turn-journal.ts';
import type { System } from '../engine/ports/system.ts';
import type { MortalSystem } from './mortal-system.ts';

/** A step or a timer that the turn has asked for. */
export interface JournalCommand {
  /** What was asked for. */
  readonly type: 'step' | 'timer';
  /** Name of the step or timer. */
  readonly name: string;
  /** How many entries the turn had been answered when it asked. */
  readonly after: number;
}

/** A moment at which a process may die. */
export interface DeathPoint {
  /**
   * `command`: it is journaled, nothing has come of it. `begun`: the step's work is under way. `result`: the work is done, and lost unless it is journaled
   * now. `entry`: that is journaled, and the turn does not know it yet.
   */
  readonly at: 'command' | 'begun' | 'result' | 'entry';
  /** Of the step or timer. */
  readonly name: string;
  /** Counts all points of all processes of the run: 0, 1, 2 … */
  readonly index: number;
  /** 1 for the first. */
  readonly process: number;
}

/** What outlives it. */
export interface SharedJournal {
  readonly commands: readonly JournalCommand[];
  readonly entries: readonly JournalEntry[];
  /** What a step's text may take. */
  readonly mostBytes: number | undefined;
  isDone(command: number): boolean;
  /** Writes down a command that is new. */
  addCommand(command: JournalCommand, delayMs?: number): void;
  addResult(command: number, text: string): void;
  /** @returns whether the process has died of it */
  reach(at: DeathPoint['at'], name: string): boolean;
  fail(problem: string): void;
  /** Which of so many things that may happen in any order happens next. */
  choose(count: number): number;
}

/** A process that works for the turn, as `MemoryJournal.run` starts it. */
export interface JournalProcess {
  /** 1 for the first. */
  readonly number: number;
  /** The journal, as this process has it. */
  readonly journal: TurnJournal;
  /** Its clocks and timers. What is set on it is gone when it dies. */
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
  #asked = 0;
  #answered = 0;
  #waiting: ((entry: JournalEntry) => void) | undefined;
  /** Work that has not begun: it begins in any order. */
  #work: Task[] = [];
  /** Results that are not journaled: they are in the order in which they came. */
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

  get mostBytes(): number | undefined {
    return this.#shared.mostBytes;
  }

  step(name: string, work: () => Promise<string>): void {
    const index = this.#ask({ type: 'step', name, after: this.#answered });
    if (index === undefined || this.#shared.isDone(index)) return;
    this.#work.push(() => void this.#perform(index, name, work));
    this.goOn();
  }

  timer(name: string, delayMs: number): void {
    this.#ask({ type: 'timer', name, after: this.#answered }, delayMs);
  }

  next(): Promise<JournalEntry> {
    if (!this.alive) return new Promise(() => {});
    if (this.#waiting) this.#shared.fail('The turn asks for the next entry while it waits for one.');
    return new Promise((resolve) => {
      this.#waiting = resolve;
      this.goOn();
    });
  }

  /** Answers the turn that waits, or does what can be done meanwhile: one thing at a time, so that what is journaled is answered first. */
  goOn(): void {
    if (this.#isBusy || !this.#waiting) return;
    this.#isBusy = true;
    this.system.defer(() => {
      this.#isBusy = false;
      const entry = this.#shared.entries[this.#answered];
      if (entry) this.#answer(entry);
      else this.#doOne();
      if (this.#work.length + this.#results.length > 0) this.goOn();
    });
  }

  #doOne(): void {
    const choice = this.#shared.choose(this.#work.length + Math.min(this.#results.length, 1));
    if (choice < this.#work.length) this.#work.splice(choice, 1)[0]?.();
    else this.#results.shift()?.();
  }

  #answer(entry: JournalEntry): void {
    const forgotten = this.#shared.commands[this.#asked];
    if (forgotten && forgotten.after <= this.#answered)
      return this.#shared.fail(`${this.#place()} the journal has ${show(forgotten)}; the turn has not asked for it.`);
    const resolve = this.#waiting;
    this.#waiting = undefined;
    this.#answered += 1;
    resolve?.(entry);
  }

  die(): void {
    this.alive = false;
    this.#waiting = undefined;
    this.#work = [];
    this.#results = [];
    this.system.die();
  }

  /** The command's number; nothing where it makes no difference any more. */
  #ask(command: JournalCommand, delayMs?: number): number | undefined {
    if (!this.alive) return undefined;
    const index = this.#asked++;
    const known = this.#shared.commands[index];
    if (!known) this.#shared.addCommand(command, delayMs);
    else if (known.type !== command.type || known.name !== command.name || known.after !== command.after)
      this.#shared.fail(`${this.#place()} the turn asks for ${show(command)}; the journal has ${show(known)} there.`);
    return this.alive ? index : undefined;
  }

  async #perform(index: number, name: string, work: () => Promise<string>): Promise<void> {
    let text: unknown;
    try {
      const working = work();
      if (this.#shared.reach('begun', name)) return;
      text = await working;
    } catch (error) {
      if (this.alive) this.#shared.fail(`The work of step ${name} rejects: ${String(error)}. A failure belongs into its text.`);
      return;
    }
    if (!this.alive) return;
    if (typeof text !== 'string') return this.#shared.fail(`The work of step ${name} answers no text (${typeof text}).`);
    const { mostBytes = Number.POSITIVE_INFINITY } = this;
    if (!fitsInto(text, mostBytes))
      return this.#shared.fail(`The text of step ${name} comes to ${bytesOf(text)} bytes, and the journal takes ${mostBytes}.`);
    this.#results.push(() => void (this.#shared.reach('result', name) || this.#shared.addResult(index, text)));
    this.goOn();
  }

  #place(): string {
    return `Journal mismatch in process ${this.number} at command ${this.#asked}, after ${this.#answered} entries:`;
  }
}

function show({ type, name, after }: JournalCommand): string {
  return `${type} '${name}' (after ${after} entries)`;
}
