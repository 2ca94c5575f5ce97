/** A journal that is worked by hand: what the turn asks for begins, and is confirmed, when the test says so. */
import type { JournalEntry, TurnJournal } from '@holdfast/core/journal';

export interface HandJournal extends TurnJournal {
  /** Names of what was asked for, in order. */
  readonly commands: readonly string[];
  /** By name of a timer: how long it is to take. */
  readonly delays: ReadonlyMap<string, number>;
  /** Begins a step's work; what it resolves with is confirmed by whatever began it. */
  begin(name: string): Promise<JournalEntry>;
  /** Answers the turn, now or once it waits. */
  give(entry: JournalEntry): void;
  /** The connection to the journal is gone. */
  fail(problem: Error): void;
}

export function handJournal(given: readonly JournalEntry[] = []): HandJournal {
  const commands: string[] = [];
  const delays = new Map<string, number>();
  const works = new Map<string, () => Promise<string>>();
  const entries = [...given];
  let waiting: { readonly resolve: (entry: JournalEntry) => void; readonly reject: (problem: Error) => void } | undefined;
  return {
    commands,
    delays,
    step(name, work) {
      commands.push(name);
      works.set(name, work);
    },
    timer(name, delayMs) {
      commands.push(name);
      delays.set(name, delayMs);
    },
    next() {
      const entry = entries.shift();
      if (entry) return Promise.resolve(entry);
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject };
      });
    },
    async begin(name) {
      const work = works.get(name);
      if (!work) throw new Error(`The turn has not asked for ${name}, but for ${commands.join(', ')}`);
      return { type: 'step', name, text: await work() };
    },
    give(entry) {
      if (waiting) waiting.resolve(entry);
      else entries.push(entry);
      waiting = undefined;
    },
    fail(problem) {
      waiting?.reject(problem);
    },
  };
}
