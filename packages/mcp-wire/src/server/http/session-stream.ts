/**
 * Owns one stream of a legacy session: its numbered events and its connections.
 *
 * Invariants
 * 1. An event is sent on one connection: the newest. Without one it waits in the replay buffer.
 * 2. A client that does not read loses its connection, not the events.
 */
import type { EventStreamWriter } from './event-stream-writer.ts';
import type { ReplayBuffer } from './replay-buffer.ts';

/** Maximum number of connections to one stream; beyond it, the oldest is closed. */
const maxConnections = 4;

export class SessionStream {
  readonly number: number;
  readonly #replay: ReplayBuffer;
  readonly #maxBufferedBytes: number;
  readonly #connections: EventStreamWriter[] = [];
  readonly #waiting = new Map<string, number>();
  #lastEvent = 0;
  #lastSent = 0;
  #isFinished = false;

  constructor(number: number, replay: ReplayBuffer, maxBufferedBytes: number) {
    this.number = number;
    this.#replay = replay;
    this.#maxBufferedBytes = maxBufferedBytes;
  }

  get isFinished(): boolean {
    return this.#isFinished;
  }

  get isConnected(): boolean {
    return this.#newest() !== undefined;
  }

  /** Returns whether the text was sent on an open connection. */
  send(text: string): boolean {
    this.#lastEvent += 1;
    this.#replay.keep(this.number, this.#lastEvent, text, Date.now());
    const connection = this.#newest();
    if (connection === undefined) return false;
    if (connection.isBehind(this.#maxBufferedBytes)) {
      connection.drop();
      return false;
    }
    this.#lastSent = this.#lastEvent;
    connection.send(text, this.#eventId(this.#lastEvent));
    return true;
  }

  /** Like `send()`, but skips a text that is already waiting in the replay buffer. */
  sendOnce(text: string): void {
    const waiting = this.#waiting.get(text);
    if (waiting !== undefined && this.#replay.holds(this.number, waiting)) return;
    if (!this.send(text)) this.#waiting.set(text, this.#lastEvent);
  }

  /** Sends the last event and ends the stream. */
  finish(text: string): void {
    this.send(text);
    this.#isFinished = true;
    this.end();
  }

  /** Replays the events after this one; by default, those that have not been sent yet. */
  connect(connection: EventStreamWriter, after: number = this.#lastSent): void {
    this.#waiting.clear();
    for (const event of this.#replay.after(this.number, after)) {
      connection.send(event.text, this.#eventId(event.number));
      this.#lastSent = Math.max(this.#lastSent, event.number);
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

/** Parses the stream and event numbers of a `Last-Event-ID`. */
export function readEventId(header: string): { readonly stream: number; readonly event: number } | undefined {
  const [, stream, event] = /^(\d{1,9})-(\d{1,9})$/.exec(header) ?? [];
  return stream === undefined || event === undefined ? undefined : { stream: Number(stream), event: Number(event) };
}
