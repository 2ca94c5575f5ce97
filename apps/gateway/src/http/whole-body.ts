/** Owns reading a body that has to be there as a whole. */
import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

/** Answers with `undefined` where the body is too long; never, where the client goes away. How long it may take is the server's business. */
export function readWhole(request: IncomingMessage, limit: number, done: (body: Buffer | undefined) => void): void {
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
  const onEnd = (): void => done(Buffer.concat(parts, length));
  request.on('data', onData).on('end', onEnd);
}
