/**
 * Owns splitting a stream of bytes into lines.
 *
 * Invariants
 * 1. Never buffers more than one line of the maximum length; of a longer line only the head and tail are kept.
 */
import { Buffer } from 'node:buffer';

const newline = 0x0a;
/** Bytes kept at each end of a skipped line, to find the id of its message. */
const edgeBytes = 512;

export interface LineListener {
  line(text: Buffer): void;
  rejectOversized(head: string, tail: string): void;
}

export class LineReader {
  readonly #limit: number;
  readonly #listener: LineListener;
  #parts: Buffer[] = [];
  #length = 0;
  #head: string | undefined;
  #tail: Buffer = Buffer.alloc(0);

  constructor(limit: number, listener: LineListener) {
    this.#limit = limit;
    this.#listener = listener;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#add(chunk.subarray(start, end));
      this.#close();
      start = end + 1;
    }
    if (start < chunk.length) this.#add(chunk.subarray(start));
  }

  /** Flushes a last line without a newline. */
  finish(): void {
    if (this.#length > 0 || this.#head !== undefined) this.#close();
  }

  #add(part: Buffer): void {
    if (this.#head !== undefined) {
      this.#tail = Buffer.concat([this.#tail, part.subarray(-edgeBytes)]).subarray(-edgeBytes);
      return;
    }
    this.#parts.push(part);
    this.#length += part.length;
    if (this.#length <= this.#limit) return;
    const whole = this.#takeLine();
    this.#head = whole.toString('utf8', 0, edgeBytes);
    this.#tail = Buffer.from(whole.subarray(-edgeBytes));
  }

  #close(): void {
    if (this.#head !== undefined) {
      const head = this.#head;
      this.#head = undefined;
      this.#listener.rejectOversized(head, this.#tail.toString('utf8'));
      return;
    }
    const whole = this.#takeLine();
    if (whole.length > 0) this.#listener.line(whole);
  }

  #takeLine(): Buffer {
    const whole = this.#parts.length === 1 ? (this.#parts[0] as Buffer) : Buffer.concat(this.#parts, this.#length);
    this.#parts = [];
    this.#length = 0;
    return whole;
  }
}

const idPattern = String.raw`"id"\s*:\s*(-?\d{1,15}|"[^"\\]{0,200}")`;
const atHead = new RegExp(String.raw`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?${idPattern}\s*,`);
const atTail = new RegExp(String.raw`,\s*${idPattern}\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`);

/** The id of a message too long to be read, if it is the first or the last field. */
export function edgeId(head: string, tail: string): string | number | null {
  const found = atHead.exec(head)?.[1] ?? atTail.exec(tail)?.[1];
  return found === undefined ? null : (JSON.parse(found) as string | number);
}
