/**
 * Owns the queue of a journaled turn's inputs: from the journal's record during replay, then live. Does not own the effect of an input.
 *
 * Invariants
 * 1. Inputs are processed one at a time, each at one moment; inputs that arrive meanwhile wait.
 * 2. A question with a synchronous answer in the record gets that answer; a question that is still open at the end of the record is asked again.
 * 3. Time never moves backwards.
 * 4. Once the turn is known to end, its end is processed before every live input that waits.
 */
import type { CallInput } from '../../engine/call/protocol.ts';
import type { CallRun, Feed } from '../../runtime/drivers/host.ts';
import type { TraceEventBody } from '../../engine/trace/events.ts';
import type { Trace } from '../../engine/trace/turn-trace.ts';
import type { InputLog } from './input-log.ts';
import type { AnswerEntry, InputEntry, LogEntry, TimerEntry } from './log-entry.ts';

/** An input before it is logged. */
export type Incoming = Omit<InputEntry, 'at' | 'events'> | Omit<TimerEntry, 'at' | 'events'>;

type Question = (feed: Feed) => void;

export interface InputQueueOptions {
  readonly log: InputLog;
  /** Reads the clock: milliseconds since the turn began. */
  readonly clock: () => number;
  /** When the turn ends by this process's clock, before the journal reports it; `Infinity` if the clock does not decide it. */
  readonly endsAt: () => number;
  /** Applies an input to the turn. */
  readonly perform: (entry: InputEntry | TimerEntry) => void;
  /** Runs after an input and everything that followed from it. */
  readonly onProcessed: () => void;
  readonly trace: () => Trace;
}

export class InputQueue {
  readonly #options: InputQueueOptions;
  #moment = 0;
  #live = false;
  #busy = false;
  /** The next input must be the turn's end. */
  #held = false;
  readonly #queue: Incoming[] = [];
  #questions = 0;
  /** The entries that are being replayed. */
  #record: readonly LogEntry[] = [];
  /** The position of the next entry in the record. */
  #next = 0;
  /** Questions of the record without a synchronous answer. */
  readonly #open = new Map<string, Question>();
  /** Events during the question that is being asked. */
  #questionEvents: TraceEventBody[] | undefined;
  /** Events between inputs: they are logged with the next input. */
  #eventsBefore: TraceEventBody[] = [];

  constructor(options: InputQueueOptions) {
    this.#options = options;
  }

  get moment(): number {
    return this.#moment;
  }

  get live(): boolean {
    return this.#live;
  }

  /** Whether nothing may start any more: the turn's end is known, and has not been processed yet. */
  get held(): boolean {
    if (this.#live && this.#options.clock() > this.#options.endsAt()) this.#held = true;
    return this.#held;
  }

  /** Accepts only the turn's end from now on: the journal has reported it. */
  hold(): void {
    this.#held = true;
  }

  /** Processes the turn's end before all inputs that wait. `notBefore`: the earliest moment of the end. */
  addEnd(incoming: Incoming, notBefore: number): void {
    this.releaseHold();
    this.#queue.unshift(incoming);
    if (!this.#busy) this.#processQueue(notBefore);
  }

  /** Accepts all inputs again: the turn has ended. */
  releaseHold(): void {
    this.#held = false;
  }

  /** Switches from the record to inputs of this process. */
  goLive(): void {
    this.#live = true;
    this.#moment = Math.max(this.#moment, this.#options.clock());
    const open = this.#held ? [] : [...this.#open.values()];
    this.#open.clear();
    for (const question of open) question((run, input) => this.add({ call: run.state.spec.callKey, input }));
  }

  /** Adds a live input, and processes it unless another one is being processed. */
  add(incoming: Incoming): void {
    this.#queue.push(incoming);
    if (!this.#busy && !this.held) this.#processQueue(0);
  }

  #processQueue(notBefore: number): void {
    this.#busy = true;
    try {
      this.#processAll(notBefore);
    } finally {
      this.#busy = false;
    }
    this.#options.onProcessed();
  }

  #processAll(notBefore: number): void {
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      this.#moment = Math.max(this.#moment, this.#options.clock(), notBefore);
      const events = this.#eventsBefore;
      this.#eventsBefore = [];
      const entry = { ...next, at: this.#moment, ...(events.length === 0 ? {} : { events: events.map((event) => ({ ...event })) }) };
      this.#perform(this.#options.log.append(entry), events);
    }
  }

  /** Replays the entries that another process has logged. */
  replay(record: readonly LogEntry[]): void {
    this.#record = record;
    this.#next = 0;
    this.#busy = true;
    while (this.#next < record.length) {
      const entry = record[this.#next++] as LogEntry;
      if ('question' in entry) throw new Error(`The journal answers question ${entry.question}, which this turn does not ask`);
      this.#moment = entry.at;
      this.#options.log.count(entry);
      if ('input' in entry && entry.call !== undefined) this.#open.delete(nameOf(entry.call, entry.input.type as CallInput['type']));
      this.#perform(entry, entry.events ?? []);
    }
    this.#record = [];
    this.#busy = false;
    this.#options.onProcessed();
  }

  #perform(entry: InputEntry | TimerEntry, events: readonly TraceEventBody[]): void {
    for (const event of events) this.#options.trace().append(event, this.#moment);
    this.#options.perform(entry);
  }

  /** Records an event that does not come from the machines: replayed without a log entry, it would differ or be missing in another process. */
  recordEvent(event: TraceEventBody): void {
    if (this.#questionEvents === undefined) {
      this.#eventsBefore.push(event);
      return;
    }
    this.#questionEvents.push({ ...event });
    this.#options.trace().append(event, this.#moment);
  }

  /** Reserves the number of a question that is asked later: its answer arrives as a separate input. */
  skipQuestion(): void {
    this.#questions += 1;
  }

  /** Asks a question for a machine. Returns whether it was answered synchronously. `expected`: the type of input that answers it, if there is one. */
  ask(run: CallRun, expected: CallInput['type'] | undefined, question: Question, feed: Feed): boolean {
    const number = this.#questions++;
    const entry = this.#live ? this.#askNow(number, question) : this.#recordedAnswer(number, run);
    if (entry?.answer) {
      feed(run, entry.answer);
      return true;
    }
    if (!this.#live && expected !== undefined) this.#open.set(nameOf(run.state.spec.callKey, expected), question);
    return false;
  }

  #askNow(number: number, question: Question): AnswerEntry | undefined {
    const events: TraceEventBody[] = [];
    let answer: CallInput | undefined;
    let returned = false;
    const outer = this.#questionEvents;
    this.#questionEvents = events;
    try {
      question((run, input) => {
        if (returned) this.add({ call: run.state.spec.callKey, input });
        else answer = input;
      });
    } finally {
      this.#questionEvents = outer;
      returned = true;
    }
    if (answer === undefined && events.length === 0) return undefined;
    const entry = { question: number, ...(events.length === 0 ? {} : { events }), ...(answer && { answer }) };
    this.#options.log.appendAnswer(entry);
    return entry;
  }

  #recordedAnswer(number: number, { trace }: CallRun): AnswerEntry | undefined {
    const entry = this.#record[this.#next];
    if (!entry || !('question' in entry) || entry.question !== number) return undefined;
    this.#next += 1;
    this.#options.log.count(entry);
    for (const event of entry.events ?? []) trace.append(event, this.#moment);
    return entry;
  }
}

function nameOf(callKey: string, input: CallInput['type']): string {
  return `${input} ${callKey}`;
}
