/** A manual journal: the test decides when a requested step runs and when it is confirmed. */
import type { JournalEntry, TurnJournal } from '@holdfast/core/journal';

export interface ManualJournal extends TurnJournal {
  /** Names of the requested steps and timers, in order. */
  readonly commands: readonly string[];
  /** Delays of the timers, by name. */
  readonly delays: ReadonlyMap<string, number>;
  /** Runs a step's work. Resolves with its entry, which the test has to deliver. */
  begin(name: string): Promise<JournalEntry>;
  /** Delivers an entry to the turn, now or once it waits. */
  deliver(entry: JournalEntry): void;
  /** Loses the connection to the journal. */
  fail(error: Error): void;
}

export function manualJournal(existing: readonly JournalEntry[] = []): ManualJournal {
  const commands: string[] = [];
  const delays = new Map<string, number>();
  const work = new Map<string, () => Promise<string>>();
  const entries = [...existing];
  let waiting: { readonly resolve: (entry: JournalEntry) => void; readonly reject: (error: Error) => void } | undefined;
  return {
    commands,
    delays,
    step(name, run) {
      commands.push(name);
      work.set(name, run);
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
      const run = work.get(name);
      if (!run) throw new Error(`The turn has not requested ${name}, only ${commands.join(', ')}`);
      return { type: 'step', name, text: await run() };
    },
    deliver(entry) {
      if (waiting) waiting.resolve(entry);
      else entries.push(entry);
      waiting = undefined;
    },
    fail(error) {
      waiting?.reject(error);
    },
  };
}
