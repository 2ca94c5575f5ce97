/** Owns standard output where it carries a protocol: only what is written here gets there. Made before stray output is redirected. */
import { Writable } from 'node:stream';

export function protocolOutput(stream: NodeJS.WriteStream = process.stdout): Writable {
  const write = stream.write.bind(stream) as (
    chunk: string | Uint8Array,
    encoding: BufferEncoding,
    done: (error?: Error | null) => void,
  ) => boolean;
  return new Writable({
    decodeStrings: false,
    highWaterMark: 1_024 * 1_024,
    write: (chunk: string | Uint8Array, encoding, done) => void write(chunk, typeof chunk === 'string' ? encoding : 'utf8', done),
  });
}
