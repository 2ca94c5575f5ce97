/**
 * Owns one stream of a legacy session: its numbered events, and the connections that carry it.
 *
 * Invariants
 * 1. An event is told on one connection: the newest. With none it waits in the replay buffer.
 * 2. A client that does not read loses its connection, not the events.
 */
import type { EventStreamWriter } from './event-stream-writer.ts';
import type { ReplayBuffer } from './replay-buffer.ts';

/** More connections to one stream than this: the oldest is ended. */
const maxConnections = 4;

export class SessionStream {
  readonly number: number;
  readonly #replay: ReplayBuffer;
  readonly #patienceBytes: number;
  readonly #connections: EventStreamWriter[] = [];
  readonly #waiting = new Map<string, number>();
  #lastEvent = 0;
  #lastTold = 0;
  #isFinished = false;

  constructor(number: number, replay: ReplayBuffer, patienceBytes: number) {
    this.number = number;
    this.#replay = replay;
    this.#patienceBytes = patienceBytes;
  }

  get isFinished(): boolean {
    return this.#isFinished;
  }

  get isConnected(): boolean {
    return this.#newest() !== undefined;
  }

  /** Answers whether somebody is there to hear it now. */
  send(text: string): boolean {
    this.#lastEvent += 1;
    this.#replay.keep(this.number, this.#lastEvent, text, Date.now());
    const connection = this.#newest();
    if (connection === undefined) return false;
    if (connection.isBehind(this.#patienceBytes)) {
      connection.drop();
      return false;
    }
    this.#lastTold = this.#lastEvent;
    connection.send(text, this.#eventId(this.#lastEvent));
    return true;
  }

  /** As `say()`, but what waits already for somebody to hear it is not said again. */
  sendOnce(text: string): void {
    const waiting = this.#waiting.get(text);
    if (waiting !== undefined && this.#replay.holds(this.number, waiting)) return;
    if (!this.send(text)) this.#waiting.set(text, this.#lastEvent);
  }

  /** The last word. */
  finish(text: string): void {
    this.send(text);
    this.#isFinished = true;
    this.end();
  }

  /** From the event after this one; by default from the first that nobody has been told. */
  connect(connection: EventStreamWriter, after: number = this.#lastTold): void {
    this.#waiting.clear();
    for (const event of this.#replay.after(this.number, after)) {
      connection.send(event.text, this.#eventId(event.number));
      this.#lastTold = Math.max(this.#lastTold, event.number);
    }
    if (this.#isFinished) {
      connection.end();
      return;
    }
    this.#connections.push(connection);
    if (this.#connections.length > maxConnections) this.#connections.shift()?.end();
  }

  prime(connection: EventStreamWriter): void {
    connection.prime(this.#eventId(this.#lastEvent));
  }

  disconnect(connection: EventStreamWriter): void {
    const index = this.#connections.indexOf(connection);
    if (index !== -1) this.#connections.splice(index, 1);
  }

  keepAlive(nowMs: number, afterMs: number): void {
    for (const connection of this.#connections) connection.keepAlive(nowMs, afterMs);
  }

  end(): void {
    for (const connection of this.#connections) connection.end();
    this.#connections.length = 0;
  }

  #newest(): EventStreamWriter | undefined {
    return this.#connections.findLast((connection) => connection.isOpen);
  }

  #eventId(event: number): string {
    return `${this.number}-${event}`;
  }
}

/** The stream and the event that a `Last-Event-ID` names. */
export function readEventId(header: string): { readonly stream: number; readonly event: number } | undefined {
  const [, stream, event] = /^(\d{1,9})-(\d{1,9})$/.exec(header) ?? [];
  return stream === undefined || event === undefined ? undefined : { stream: Number(stream), event: Number(event) };
}
