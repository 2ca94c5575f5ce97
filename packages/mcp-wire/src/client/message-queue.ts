/**
 * Owns parsing the messages of a server: large ones in slices, so that others are served meanwhile.
 *
 * Invariants
 * 1. Messages are taken in the order in which they arrived; a small one that follows no large one is taken at once.
 * 2. Nothing more is read from the server while a large message is parsed.
 */
import { parseJsonOrUndefined } from '../message.ts';
import { parseInSlices, slicedChars } from '../parse-in-slices.ts';

/** What the messages are read from. */
interface Source {
  readonly pause: () => unknown;
  readonly resume: () => unknown;
}

export class MessageQueue {
  readonly #source: Source;
  /** The last of the messages that wait. */
  #last: Promise<void> | undefined;

  constructor(source: Source) {
    this.#source = source;
  }

  /** `take` receives the value of the text, or `undefined` if it is not JSON. It must not throw. */
  add(text: string, take: (message: unknown, text: string) => void): void {
    if (this.#last === undefined && text.length < slicedChars) take(parseJsonOrUndefined(text), text);
    else this.#follow(async () => take(text.length < slicedChars ? parseJsonOrUndefined(text) : await parseInSlices(text), text));
  }

  /** Runs the task after the messages that have arrived. It must not throw. */
  after(task: () => void): void {
    if (this.#last === undefined) task();
    else this.#follow(task);
  }

  #follow(task: () => void | Promise<void>): void {
    if (this.#last === undefined) this.#source.pause();
    const next = (this.#last ?? Promise.resolve()).then(task).finally(() => {
      if (this.#last !== next) return;
      this.#last = undefined;
      this.#source.resume();
    });
    this.#last = next;
  }
}
