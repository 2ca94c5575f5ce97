/**
 * Owns reading a stream of server-sent events from bytes. The dashboard has a reader of its own: neither package may import the other.
 *
 * Invariants
 * 1. Lines end with LF, CR or both; a character or line end split across two chunks is read correctly.
 * 2. Nothing is read after an event over the limit.
 */
import { TextParts } from '../text-parts.ts';

export interface EventStreamListener {
  /** `type` is `'message'` by default. */
  readonly event: (data: string, type: string) => void;
  /** The id of the last event: the position from which the stream can be resumed. */
  readonly eventId: (id: string) => void;
  /** How long clients should wait before they reconnect. */
  readonly retry: (ms: number) => void;
  readonly tooLong: () => void;
}

const lf = 10;
const cr = 13;
const colon = 58;

/** Reads lines into events. */
class EventAssembler {
  readonly #listener: EventStreamListener;
  /** Size of the current event in bytes. */
  size = 0;
  #isFirstLine = true;
  #data: string[] = [];
  #type = '';
  #id: string | undefined;

  constructor(listener: EventStreamListener) {
    this.#listener = listener;
  }

  line(text: string): void {
    const content = this.#isFirstLine && text.startsWith('\uFEFF') ? text.slice(1) : text;
    this.#isFirstLine = false;
    if (content === '') return this.#dispatch();
    const end = content.indexOf(':');
    if (end === 0) return this.comment();
    if (end === -1) return this.#field(content, '');
    this.#field(content.slice(0, end), content.slice(content.charCodeAt(end + 1) === 32 ? end + 2 : end + 1));
  }

  /** Comments are not part of an event. */
  comment(): void {
    this.#isFirstLine = false;
    if (this.#data.length === 0) this.size = 0;
  }

  clear(): void {
    this.#data = [];
  }

  #field(name: string, value: string): void {
    if (name === 'data') this.#data.push(value);
    else if (name === 'event') this.#type = value;
    else if (name === 'id' && !value.includes('\0')) this.#id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) this.#listener.retry(Number(value));
  }

  #dispatch(): void {
    if (this.#id !== undefined) this.#listener.eventId(this.#id);
    const data = this.#data;
    if (data.length > 0)
      this.#listener.event(data.length === 1 ? (data[0] ?? '') : data.join('\n'), this.#type === '' ? 'message' : this.#type);
    this.#data = [];
    this.#type = '';
    this.#id = undefined;
    this.size = 0;
  }
}

/** Returns a function that reads the chunks of the stream. */
export function eventStreamReader(maxEventBytes: number, listener: EventStreamListener): (chunk: Buffer) => void {
  const assembler = new EventAssembler(listener);
  /** Of a line of several chunks. */
  let parts: TextParts | undefined;
  let skipLf = false;
  let hasFailed = false;

  const endLine = (chunk: Buffer, start: number, stop: number): void => {
    if (parts === undefined) {
      // Comments keep a connection alive.
      if (chunk[start] === colon) return assembler.comment();
      return assembler.line(chunk.toString('utf8', start, stop));
    }
    parts.add(chunk.subarray(start, stop));
    const text = parts.end();
    parts = undefined;
    assembler.line(text);
  };

  return (chunk) => {
    if (hasFailed || chunk.length === 0) return;
    let start = skipLf && chunk[0] === lf ? 1 : 0;
    skipLf = false;
    let nextCr = chunk.indexOf(cr, start);
    let nextLf = chunk.indexOf(lf, start);
    while (start < chunk.length) {
      // Searched once for each: a chunk may consist of line ends of the other kind.
      if (nextLf !== -1 && nextLf < start) nextLf = chunk.indexOf(lf, start);
      const isCr = nextCr !== -1 && (nextLf === -1 || nextCr < nextLf);
      const stop = isCr ? nextCr : nextLf;
      assembler.size += (stop === -1 ? chunk.length : stop) - start;
      if (assembler.size > maxEventBytes) {
        hasFailed = true;
        parts = undefined;
        assembler.clear();
        return listener.tooLong();
      }
      if (stop === -1) return (parts ??= new TextParts()).add(chunk.subarray(start));
      endLine(chunk, start, stop);
      start = stop + 1;
      if (!isCr) continue;
      if (start === chunk.length) skipLf = true;
      else if (chunk[start] === lf) start++;
      nextCr = chunk.indexOf(cr, start);
    }
  };
}
