/** Owns standard output where it carries a protocol: only what is written here gets there. Made before stray output is redirected. */
import { Writable } from 'node:stream';

type Chunk = string | Uint8Array;

export function protocolOutput(stream: NodeJS.WriteStream = process.stdout): Writable {
  const write = stream.write.bind(stream) as (chunk: Chunk, done: (error?: Error | null) => void) => boolean;
  return new Writable({
    decodeStrings: false,
    highWaterMark: 1_024 * 1_024,
    write: (chunk: Chunk, _encoding, done) => void write(chunk, done),
    // What came meanwhile leaves together.
    writev: (chunks, done) => void write(joinChunks(chunks.map(({ chunk }) => chunk as Chunk)), done),
  });
}

function joinChunks(chunks: readonly Chunk[]): Chunk {
  if (chunks.every((chunk) => typeof chunk === 'string')) return chunks.join('');
  return Buffer.concat(chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)));
}
