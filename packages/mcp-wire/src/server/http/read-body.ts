/**
 * Owns reading the body of a request, and discarding the body of a refused one.
 *
 * Invariants
 * 1. Never buffers more than the limit allows. The time limit on a body is enforced by the HTTP server.
 * 2. A refused client can read the refusal before its connection ends: the rest of its body is discarded, up to a limit.
 */
import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

/** Minimum number of bytes discarded before the connection is closed. */
const minDiscardedBytes = 1_048_576;

/** Calls back with the body, or with `undefined` if it is too long; never calls back if the client disconnects. */
export function readBody(request: IncomingMessage, limit: number, done: (body: Buffer | undefined) => void): void {
  const tooLong = (): void => {
    dropBody(request, limit);
    done(undefined);
  };
  if (Number(request.headers['content-length'] ?? 0) > limit) {
    tooLong();
    return;
  }
  const parts: Buffer[] = [];
  let length = 0;
  const onData = (part: Buffer): void => {
    length += part.length;
    parts.push(part);
    if (length <= limit) return;
    parts.length = 0;
    request.off('end', onEnd);
    tooLong();
  };
  const onEnd = (): void => done(parts.length === 1 ? parts[0] : Buffer.concat(parts, length));
  request.on('data', onData).on('end', onEnd);
}

/** Discards the rest of the body, and closes the connection if it exceeds both the limit and a fixed minimum. */
export function dropBody(request: IncomingMessage, limit: number): void {
  let left = Math.max(limit, minDiscardedBytes);
  request.removeAllListeners('data').on('data', (part: Buffer) => {
    left -= part.length;
    if (left < 0) request.socket.destroy();
  });
  request.resume();
}
