/**
 * Owns writing Server-Sent Events to one response.
 *
 * Invariants
 * 1. Nothing is written after the end, or after the client has disconnected.
 */
import type { ServerResponse } from 'node:http';
import type { HeaderList } from './responses.ts';

const head: HeaderList = [
  'content-type',
  'text/event-stream',
  'cache-control',
  'no-cache, no-transform',
  'x-accel-buffering',
  'no',
  'x-content-type-options',
  'nosniff',
];

export class EventStreamWriter {
  readonly #response: ServerResponse;
  #lastWriteMs = performance.now();

  constructor(response: ServerResponse, headers: HeaderList) {
    this.#response = response;
    if (!response.headersSent && !response.destroyed) response.writeHead(200, [...head, ...headers]);
  }

  get isOpen(): boolean {
    return !this.#response.writableEnded && !this.#response.destroyed;
  }

  /** Whether more than this is buffered for a slow client. */
  isBehind(bytes: number): boolean {
    return this.#response.writableLength > bytes;
  }

  send(text: string, id?: string): void {
    this.#write(id === undefined ? `event: message\ndata: ${text}\n\n` : `id: ${id}\nevent: message\ndata: ${text}\n\n`);
  }

  /** Sends an empty event, from which the client can resume. */
  prime(id: string): void {
    this.#write(`id: ${id}\ndata: \n\n`);
  }

  /** Sends a comment if nothing was sent for this long. */
  keepAlive(nowMs: number, afterMs: number): void {
    if (nowMs - this.#lastWriteMs >= afterMs) this.#write(':\n\n');
  }

  end(): void {
    if (this.isOpen) this.#response.end();
  }

  /** Ends the connection; unread data is lost. */
  drop(): void {
    this.#response.destroy();
  }

  #write(text: string): void {
    if (!this.isOpen) return;
    this.#lastWriteMs = performance.now();
    this.#response.write(text);
  }
}
