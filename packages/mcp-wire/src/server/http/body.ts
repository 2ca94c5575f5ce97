/**
 * Owns reading the body of a request.
 *
 * Invariants
 * 1. Never holds more than the limit allows. How long a body may take is the server's business.
 */
import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

/** Answers with the body, or with `undefined` where it is too long; never, where the client goes away. */
export function readBody(request: IncomingMessage, limit: number, done: (body: Buffer | undefined) => void): void {
  if (Number(request.headers['content-length'] ?? 0) > limit) {
    done(undefined);
    return;
  }
  const parts: Buffer[] = [];
  let length = 0;
  const onData = (part: Buffer): void => {
    length += part.length;
    parts.push(part);
    if (length <= limit) return;
    request.off('data', onData).off('end', onEnd).pause();
    done(undefined);
  };
  const onEnd = (): void => done(parts.length === 1 ? parts[0] : Buffer.concat(parts, length));
  request.on('data', onData).on('end', onEnd);
}
