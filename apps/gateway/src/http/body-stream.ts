/**
 * Owns the body of a request as a web stream.
 *
 * Invariants
 * 1. The client sends no faster than the handler reads.
 * 2. After a handler has cancelled the stream, the rest of the body is dropped, up to a limit.
 */
import type { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { dropBody } from '@holdfast/mcp-wire/server';

const bufferBytes = 65_536;

export function bodyStream(request: IncomingMessage, dropBytes: number): ReadableStream<Uint8Array> {
  let release = (): void => {};
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const onData = (part: Buffer): void => {
          controller.enqueue(part);
          if ((controller.desiredSize ?? 0) <= 0) request.pause();
        };
        const onEnd = (): void => {
          release();
          controller.close();
        };
        const onClose = (): void => {
          release();
          controller.error(new Error('The client has disconnected'));
        };
        release = (): void => void request.off('data', onData).off('end', onEnd).off('close', onClose);
        request.on('data', onData).on('end', onEnd).on('close', onClose).pause();
      },
      pull: () => void request.resume(),
      cancel() {
        release();
        dropBody(request, dropBytes);
      },
    },
    { highWaterMark: bufferBytes, size: (part) => part.byteLength },
  );
}
