/**
 * Owns one stream of a legacy session: its numbered events and its connections.
 *
 * Invariants
 * 1. An event is sent on one connection: the newest. Without one it waits in the replay buffer.
 * 2. A client that does not read loses its connection, not the events, except for those that are offered.
 * 3. The id of an event shows whose stream it belongs to, also to another process.
 */
import type { RequestId } from '../../message.ts';
import { isRequestId } from '../parse-message.ts';
import type { EventStreamWriter } from './event-stream-writer.ts';
import type { ReplayBuffer } from './replay-buffer.ts';

/** Maximum number of connections to one stream; beyond it, the oldest is closed. */
const maxConnections = 4;

interface StreamIdentity {
  readonly number: number;
  /** Of the session object. */
  readonly epoch: string;
  /** The request that the stream answers; none for stream 0. */
  readonly requestId?: RequestId;
}

export class SessionStream {
  readonly number: number;
  readonly #idStart: string;
  readonly #idEnd: string;
  readonly #replay: ReplayBuffer;
  readonly #maxBufferedBytes: number;
  readonly #connections: EventStreamWriter[] = [];
  readonly #waiting = new Map<string, number>();
  #lastEvent = 0;
  #lastSent = 0;
  #isFinished = false;

  constructor({ number, epoch, requestId }: StreamIdentity, replay: ReplayBuffer, maxBufferedBytes: number) {
    this.number = number;
    this.#idStart = `${epoch}-${number}-`;
    this.#idEnd = requestId === undefined ? '' : requestPart(requestId);
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
    this.#replay.keep(this.number, this.#lastEvent, text, performance.now());
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

  /** Like `send()`, but drops the text while the client does not read. */
  offer(text: string): void {
    if (this.#newest()?.isBehind(this.#maxBufferedBytes / 2) !== true) this.send(text);
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
    return `${this.#idStart}${event}${this.#idEnd}`;
  }
}

export interface EventPlace {
  readonly epoch: string;
  readonly stream: number;
  readonly event: number;
  readonly requestId: RequestId | undefined;
}

const maxRequestPart = 200;

/** A request with a longer id can be resumed only where its stream is. */
function requestPart(requestId: RequestId): string {
  const part = Buffer.from(JSON.stringify(requestId)).toString('base64url');
  return part.length > maxRequestPart ? '' : `-${part}`;
}

/** Parses a `Last-Event-ID`. */
export function readEventId(header: string): EventPlace | undefined {
  const [, epoch, stream, event, request] = /^([\da-f]{12})-(\d{1,9})-(\d{1,9})(?:-([\w-]{1,200}))?$/.exec(header) ?? [];
  if (epoch === undefined) return undefined;
  return { epoch, stream: Number(stream), event: Number(event), requestId: request === undefined ? undefined : requestIdOf(request) };
}

function requestIdOf(part: string): RequestId | undefined {
  try {
    const id: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return isRequestId(id) ? id : undefined;
  } catch {
    return undefined;
  }
}
