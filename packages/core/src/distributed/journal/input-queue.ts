/**
 * Owns the one way on which inputs reach a journaled turn: from the record while there is one, then live. Does not own what is done with an input.
 *
 * Invariants
 * 1. Inputs are taken one at a time, each at one moment; what comes meanwhile waits.
 * 2. A question that was answered at once in the record is answered at once from it; what was still open when the record ends is asked again.
 * 3. Time never goes back.
 * 4. Once the turn's end is known to come, it comes before everything else: what comes live meanwhile waits behind it.
 */
import type { CallInput } from '../../engine/call/protocol.ts';
import type { CallRun, Feed } from '../../runtime/drivers/host.ts';
import type { TraceEventBody } from '../../engine/trace/events.ts';
import type { Trace } from '../../engine/trace/turn-trace.ts';
import type { InputLog } from './input-log.ts';
import type { AnswerEntry, InputEntry, LogEntry, TimerEntry } from './log-entry.ts';

/** An input before it is logged. */
export type Incoming = Omit<InputEntry, 'at' | 'told'> | Omit<TimerEntry, 'at' | 'told'>;

type Question = (feed: Feed) => void;

export interface InputLineOptions {
  readonly log: InputLog;
  /** Reads the clock: milliseconds since the turn began. */
  readonly clock: () => number;
  /** When this process knows the turn to have come to its end, though the journal has not told yet; `Infinity` where it does not. */
  readonly endsAt: () => number;
  /** Does what an input asks for. */
  readonly perform: (entry: InputEntry | TimerEntry) => void;
  /** After every input, with all that followed from it. */
  readonly afterwards: () => void;
  readonly trace: () => Trace;
}

export class InputLine {
  readonly #options: InputLineOptions;
  #moment = 0;
  #live = false;
  #busy = false;
  /** The turn's end is what comes next. */
  #held = false;
  readonly #queue: Incoming[] = [];
  #questions = 0;
  /** Of the record that is being taken: what is left. */
  #record: readonly LogEntry[] = [];
  #next = 0;
  /** Asked in the record, and not answered at once. */
  readonly #open = new Map<string, Question>();
  /** Told during the question that is being asked. */
  #told: TraceEventBody[] | undefined;
  /** Told between inputs: it goes along with the next. */
  #before: TraceEventBody[] = [];

  constructor(options: InputLineOptions) {
    this.#options = options;
  }

  get moment(): number {
    return this.#moment;
  }

  get live(): boolean {
    return this.#live;
  }

  /** Whether nothing may begin any more: the turn's end is known, and has not been taken yet. */
  get held(): boolean {
    if (this.#live && this.#options.clock() > this.#options.endsAt()) this.#held = true;
    return this.#held;
  }

  /** The journal tells of the turn's end. */
  hold(): void {
    this.#held = true;
  }

  /** Takes the turn's end, before all that waits. `notBefore`: it belongs to no earlier moment. */
  takeEnd(incoming: Incoming, notBefore: number): void {
    this.letGo();
    this.#queue.unshift(incoming);
    if (!this.#busy) this.#takeWaiting(notBefore);
  }

  /** The turn has come to its end. */
  letGo(): void {
    this.#held = false;
  }

  /** From here on inputs come from this process. */
  goLive(): void {
    this.#live = true;
    this.#moment = Math.max(this.#moment, this.#options.clock());
    const open = this.#held ? [] : [...this.#open.values()];
    this.#open.clear();
    for (const question of open) question((run, input) => this.take({ call: run.state.spec.callKey, input }));
  }

  /** Takes an input that comes now. */
  take(incoming: Incoming): void {
    this.#queue.push(incoming);
    if (!this.#busy && !this.held) this.#takeWaiting(0);
  }

  #takeWaiting(notBefore: number): void {
    this.#busy = true;
    try {
      this.#takeAll(notBefore);
    } finally {
      this.#busy = false;
    }
    this.#options.afterwards();
  }

  #takeAll(notBefore: number): void {
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      this.#moment = Math.max(this.#moment, this.#options.clock(), notBefore);
      const told = this.#before;
      this.#before = [];
      const entry = { ...next, at: this.#moment, ...(told.length === 0 ? {} : { told: told.map((event) => ({ ...event })) }) };
      this.#perform(this.#options.log.append(entry), told);
    }
  }

  /** Takes what another process has logged. */
  replay(record: readonly LogEntry[]): void {
    this.#record = record;
    this.#next = 0;
    this.#busy = true;
    while (this.#next < record.length) {
      const entry = record[this.#next++] as LogEntry;
      if ('question' in entry) throw new Error(`The journal answers question ${entry.question}, which this turn does not ask`);
      this.#moment = entry.at;
      this.#options.log.repeat(entry);
      if ('input' in entry && entry.call !== undefined) this.#open.delete(nameOf(entry.call, entry.input.type as CallInput['type']));
      this.#perform(entry, entry.told ?? []);
    }
    this.#record = [];
    this.#busy = false;
    this.#options.afterwards();
  }

  #perform(entry: InputEntry | TimerEntry, told: readonly TraceEventBody[]): void {
    for (const event of told) this.#options.trace().append(event, this.#moment);
    this.#options.perform(entry);
  }

  /** What is told by somebody else than the machines: of itself it would be told otherwise, or not at all, in another process. */
  tell(event: TraceEventBody): void {
    if (this.#told === undefined) {
      this.#before.push(event);
      return;
    }
    this.#told.push({ ...event });
    this.#options.trace().append(event, this.#moment);
  }

  /** A question that is asked later: its answer comes as an input of its own. */
  leaveOpen(): void {
    this.#questions += 1;
  }

  /** Asks on behalf of a machine. Answers whether it was answered at once. `expected`: the input that answers it, if one does. */
  ask(run: CallRun, expected: CallInput['type'] | undefined, question: Question, feed: Feed): boolean {
    const number = this.#questions++;
    const entry = this.#live ? this.#askNow(number, question) : this.#recorded(number, run);
    if (entry?.answer) {
      feed(run, entry.answer);
      return true;
    }
    if (!this.#live && expected !== undefined) this.#open.set(nameOf(run.state.spec.callKey, expected), question);
    return false;
  }

  #askNow(number: number, question: Question): AnswerEntry | undefined {
    const told: TraceEventBody[] = [];
    let answer: CallInput | undefined;
    let returned = false;
    const outer = this.#told;
    this.#told = told;
    try {
      question((run, input) => {
        if (returned) this.take({ call: run.state.spec.callKey, input });
        else answer = input;
      });
    } finally {
      this.#told = outer;
      returned = true;
    }
    if (answer === undefined && told.length === 0) return undefined;
    const entry = { question: number, ...(told.length === 0 ? {} : { told }), ...(answer && { answer }) };
    this.#options.log.appendAnswer(entry);
    return entry;
  }

  #recorded(number: number, { trace }: CallRun): AnswerEntry | undefined {
    const entry = this.#record[this.#next];
    if (!entry || !('question' in entry) || entry.question !== number) return undefined;
    this.#next += 1;
    this.#options.log.repeat(entry);
    for (const event of entry.told ?? []) trace.append(event, this.#moment);
    return entry;
  }
}

function nameOf(callKey: string, input: CallInput['type']): string {
  return `${input} ${callKey}`;
}
