/**
 * Owns splitting a stream of bytes into lines of text.
 *
 * Invariants
 * 1. A character that is split across chunks is decoded correctly.
 * 2. Of a line over the limit, only its start and end are kept; later lines are not affected.
 */
import { TextParts } from '../text-parts.ts';

export interface LineListener {
  /** Called for each line that is not empty. */
  readonly line: (text: string) => void;
  /** Called when the line exceeds the limit. */
  readonly overlong: (head: string) => void;
  /** Called at the end of a line over the limit. */
  readonly overlongEnd: (tail: string) => void;
}

const endOfLine = 10;
/** How much is kept of a line over the limit. */
const keptBytes = 1024;
const nothing = Buffer.alloc(0);

export function lineReader(maxLineBytes: number, listener: LineListener): (chunk: Buffer) => void {
  /** Of a line of several chunks, unless it is over the limit. */
  let parts = new TextParts();
  let size = 0;
  let tail = nothing;

  const take = (part: Buffer): void => {
    const wasOver = size > maxLineBytes;
    size += part.length;
    tail = Buffer.concat([tail, part.subarray(-keptBytes)]).subarray(-keptBytes);
    if (wasOver) return;
    parts.add(part);
    if (size <= maxLineBytes) return;
    const head = parts.start(keptBytes);
    parts = new TextParts();
    listener.overlong(head);
  };
  /** Handles the rest of a line, without its line break. */
  const end = (chunk: Buffer, start: number, stop: number): void => {
    if (size === 0 && stop - start <= maxLineBytes) {
      if (stop > start) listener.line(chunk.toString('utf8', start, stop));
      return;
    }
    take(chunk.subarray(start, stop));
    const ended = { isOver: size > maxLineBytes, parts, tail };
    parts = new TextParts();
    size = 0;
    tail = nothing;
    if (ended.isOver) listener.overlongEnd(ended.tail.toString('latin1'));
    else listener.line(ended.parts.end());
  };

  return (chunk) => {
    let start = 0;
    for (let stop = chunk.indexOf(endOfLine); stop !== -1; stop = chunk.indexOf(endOfLine, start)) {
      end(chunk, start, stop);
      start = stop + 1;
    }
    if (start < chunk.length) take(start === 0 ? chunk : chunk.subarray(start));
  };
}
