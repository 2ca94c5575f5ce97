/**
 * Owns writing Server-Sent Events to one response.
 *
 * Invariants
 * 1. Once it has ended, or the client is gone, nothing more is written.
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
  #lastWriteMs = Date.now();

  constructor(response: ServerResponse, headers: HeaderList) {
    this.#response = response;
    if (!response.headersSent && !response.destroyed) response.writeHead(200, [...head, ...headers]);
  }

  get isOpen(): boolean {
    return !this.#response.writableEnded && !this.#response.destroyed;
  }

  /** Whether the client is this far behind with reading. */
  isBehind(bytes: number): boolean {
    return this.#response.writableLength > bytes;
  }

  send(text: string, id?: string): void {
    this.#write(id === undefined ? `event: message\ndata: ${text}\n\n` : `id: ${id}\nevent: message\ndata: ${text}\n\n`);
  }

  /** An event without words: from here the client can resume. */
  prime(id: string): void {
    this.#write(`id: ${id}\ndata: \n\n`);
  }

  /** Says that it is still there, where it has been silent for this long. */
  keepAlive(nowMs: number, afterMs: number): void {
    if (nowMs - this.#lastWriteMs >= afterMs) this.#write(':\n\n');
  }

  end(): void {
    if (this.isOpen) this.#response.end();
  }

  /** Breaks the connection off: what was not read is lost. */
  drop(): void {
    this.#response.destroy();
  }

  #write(text: string): void {
    if (!this.isOpen) return;
    this.#lastWriteMs = Date.now();
    this.#response.write(text);
  }
}
