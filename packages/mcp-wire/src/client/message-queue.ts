/**
 * Owns parsing the messages of a server: large ones in slices, and many in turns, so that others are served meanwhile.
 *
 * Invariants
 * 1. Messages are taken in the order in which they arrived; a small one is taken at once, unless others wait or have taken long.
 * 2. Nothing more is read from the server while messages wait.
 * 3. What a server sends at once occupies the event loop for a few milliseconds at a time, whatever it is.
 */
import { isJsonObject, parseJsonOrUndefined, type JsonObject } from '../message.ts';
import { parseInSlices, slicedChars } from '../parse-in-slices.ts';
import { Pauses } from '../pauses.ts';

/** What the messages are read from. */
interface Source {
  readonly pause: () => unknown;
  readonly resume: () => unknown;
}

/** None of them may throw. */
export interface MessageTaker {
  readonly message: (message: JsonObject) => void;
  /** Called after the messages of a text, of which a batch has several. */
  readonly end?: (isJson: boolean, text: string) => void;
}

export class MessageQueue {
  readonly #source: Source;
  readonly #pauses = new Pauses();
  /** In this turn of the event loop. */
  #hasBegun = false;
  /** The tasks that wait; `undefined` if nothing does. */
  #waiting: (() => void | Promise<void>)[] | undefined;

  constructor(source: Source) {
    this.#source = source;
  }

  /** Bytes have arrived. Called several times in one turn of the event loop if they come in several chunks. */
  begin(): void {
    if (this.#hasBegun || this.#waiting !== undefined) return;
    this.#hasBegun = true;
    this.#pauses.restart();
    setImmediate(() => (this.#hasBegun = false));
  }

  add(text: string, taker: MessageTaker): void {
    if (this.#waiting !== undefined || text.length >= slicedChars || this.#pauses.isDue)
      return this.#enqueue(async () => this.#take(await parseOf(text), text, taker));
    const value = startsLikeMessage(text) ? parseJsonOrUndefined(text) : undefined;
    if (Array.isArray(value)) return this.#enqueue(() => this.#take(value, text, taker));
    if (isJsonObject(value)) taker.message(value);
    taker.end?.(value !== undefined, text);
  }

  /** Runs the task after the messages that have arrived. It must not throw. */
  after(task: () => void): void {
    if (this.#waiting === undefined) task();
    else this.#waiting.push(task);
  }

  /** Up to 2025-03-26, several messages may be sent as a batch. */
  async #take(value: unknown, text: string, { message, end }: MessageTaker): Promise<void> {
    for (const each of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
      if (this.#pauses.isDue) await this.#pauses.pause();
      if (isJsonObject(each)) message(each);
    }
    end?.(value !== undefined, text);
  }

  #enqueue(task: () => void | Promise<void>): void {
    if (this.#waiting !== undefined) return void this.#waiting.push(task);
    this.#waiting = [task];
    this.#source.pause();
    void this.#work(this.#waiting);
  }

  async #work(waiting: (() => void | Promise<void>)[]): Promise<void> {
    for (let task = waiting[0], next = 1; task !== undefined; task = waiting[next++]) {
      if (this.#pauses.isDue) await this.#pauses.pause();
      await task();
    }
    this.#waiting = undefined;
    this.#source.resume();
  }
}

const parseOf = (text: string): unknown => {
  if (!startsLikeMessage(text)) return undefined;
  return text.length < slicedChars ? parseJsonOrUndefined(text) : parseInSlices(text);
};

/** Other lines are not parsed: an error for each would take long. */
const startsLikeMessage = (text: string): boolean => /^\s*[[{]/.test(text);
