/** Owns reading a value of a user, which may throw: a getter, a proxy, a `toJSON`. */

/** The value; a placeholder when reading it throws. */
export function readSafely(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return '[unreadable]';
  }
}
