/**
 * Owns splitting a stream of bytes into lines of text.
 *
 * Invariants
 * 1. A character that is split across chunks is decoded correctly.
 * 2. Of a line over the limit, only its start and end are kept; later lines are not affected.
 */

export interface LineListener {
  readonly line: (text: string) => void;
  /** Called when the line exceeds the limit. */
  readonly overlong: (head: string) => void;
  /** Called at the end of a line over the limit. */
  readonly overlongEnd: (tail: string) => void;
}

const endOfLine = 10;
/** How much is kept of a line over the limit. */
const keptBytes = 1024;

export function lineReader(maxLineBytes: number, listener: LineListener): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;
  let tail: Buffer | undefined;

  const keepTail = (part: Buffer): void => {
    tail = Buffer.concat([tail ?? Buffer.alloc(0), part.subarray(-keptBytes)]).subarray(-keptBytes);
  };
  const tooLong = (last: Buffer): void => {
    const head = Buffer.concat([...parts, last].map((part) => part.subarray(0, keptBytes))).subarray(0, keptBytes);
    for (const part of parts) keepTail(part);
    keepTail(last);
    parts = [];
    listener.overlong(head.toString('latin1'));
  };
  /** Handles the rest of a line, without its line break. */
  const end = (chunk: Buffer, start: number, stop: number): void => {
    const isShort = size + stop - start <= maxLineBytes;
    if (tail === undefined && isShort) {
      if (size === 0) return listener.line(chunk.toString('utf8', start, stop));
      parts.push(chunk.subarray(start, stop));
      const text = Buffer.concat(parts).toString('utf8');
      parts = [];
      size = 0;
      return listener.line(text);
    }
    if (tail === undefined) tooLong(chunk.subarray(start, stop));
    else keepTail(chunk.subarray(start, stop));
    const kept = (tail ?? Buffer.alloc(0)).toString('latin1');
    tail = undefined;
    size = 0;
    listener.overlongEnd(kept);
  };

  return (chunk) => {
    let start = 0;
    for (let stop = chunk.indexOf(endOfLine); stop !== -1; stop = chunk.indexOf(endOfLine, start)) {
      end(chunk, start, stop);
      start = stop + 1;
    }
    if (start === chunk.length) return;
    const rest = start === 0 ? chunk : chunk.subarray(start);
    if (tail !== undefined) return keepTail(rest);
    size += rest.length;
    if (size > maxLineBytes) tooLong(rest);
    else parts.push(rest);
  };
}
