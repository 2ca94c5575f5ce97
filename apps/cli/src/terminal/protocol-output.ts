/** Standard output as a protocol channel: nothing else gets written to it. Create it before stray output is redirected. */
import { Writable } from 'node:stream';

type Chunk = string | Uint8Array;

export function createProtocolOutput(stream: NodeJS.WriteStream = process.stdout): Writable {
  const write = stream.write.bind(stream) as (chunk: Chunk, done: (error?: Error | null) => void) => boolean;
  return new Writable({
    decodeStrings: false,
    highWaterMark: 1_024 * 1_024,
    write: (chunk: Chunk, _encoding, done) => void write(chunk, done),
    // Write pending chunks at once.
    writev: (chunks, done) => void write(joinChunks(chunks.map(({ chunk }) => chunk as Chunk)), done),
  });
}

function joinChunks(chunks: readonly Chunk[]): Chunk {
  if (chunks.every((chunk) => typeof chunk === 'string')) return chunks.join('');
  return Buffer.concat(chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)));
}
