/**
 * Owns the output of a program: keeps standard output up to a limit, and the end of standard error.
 */
import type { Readable } from 'node:stream';

const stderrTailBytes = 4096;

export interface PrintedOutput {
  readonly stdout: () => string;
  readonly stderrTail: () => string;
}

export interface OutputListeners {
  readonly maxOutputBytes: number;
  readonly onOverflow: () => void;
  /** Called for every complete line of standard output. */
  readonly onLine?: (line: string) => void;
}

export function collectOutput(stdout: Readable, stderr: Readable, listeners: OutputListeners): PrintedOutput {
  const chunks: Buffer[] = [];
  const lines = listeners.onLine === undefined ? undefined : lineSplitter(listeners.onLine);
  let size = 0;
  stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > listeners.maxOutputBytes) {
      stdout.pause();
      chunks.length = 0;
      listeners.onOverflow();
      return;
    }
    chunks.push(chunk);
    lines?.(chunk);
  });
  stdout.on('error', () => {});
  return { stdout: () => Buffer.concat(chunks).toString('utf8'), stderrTail: tailOf(stderr, stderrTailBytes) };
}

/** Keeps the last bytes of a stream, and reads it continuously so that its writer never blocks. */
export function tailOf(stream: Readable, maxBytes: number): () => string {
  let tail = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-maxBytes);
  });
  stream.on('error', () => {});
  // An incomplete character at the start is dropped.
  return () => tail.toString('utf8').replace(/^\uFFFD+/, '');
}

/** Splits a stream of bytes into lines. */
function lineSplitter(onLine: (line: string) => void): (chunk: Buffer) => void {
  let rest: Buffer[] = [];
  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      onLine(Buffer.concat([...rest, chunk.subarray(start, end)]).toString('utf8'));
      rest = [];
      start = end + 1;
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
  };
}
