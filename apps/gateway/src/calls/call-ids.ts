/** Owns the ids of calls, which are unique across processes. */
import { randomBytes } from 'node:crypto';

export function callIds(): () => string {
  const process = randomBytes(6).toString('base64url');
  let last = 0;
  return () => `${process}-${++last}`;
}
