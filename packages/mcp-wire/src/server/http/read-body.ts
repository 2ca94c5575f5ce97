/**
 * Owns reading the body of a request, and letting go of one that nobody wants.
 *
 * Invariants
 * 1. Never holds more than the limit allows. How long a body may take is the server's business.
 * 2. A client that is refused can read so before its connection ends: what it still sends is dropped, up to a bound.
 */
import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

/** What is dropped at least before a client is cut off. */
const patienceBytes = 1_048_576;

/** Answers with the body, or with `undefined` where it is too long; never, where the client goes away. */
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

/** Reads on without keeping anything; who sends more than this, and more than a little, is cut off. */
export function dropBody(request: IncomingMessage, limit: number): void {
  let left = Math.max(limit, patienceBytes);
  request.removeAllListeners('data').on('data', (part: Buffer) => {
    left -= part.length;
    if (left < 0) request.socket.destroy();
  });
  request.resume();
}
