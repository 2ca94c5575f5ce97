/** Owns the ids of calls: no two of all processes are the same. */
import { randomBytes } from 'node:crypto';

export function callIds(): () => string {
  const process = randomBytes(6).toString('base64url');
  let last = 0;
  return () => `${process}-${++last}`;
}
