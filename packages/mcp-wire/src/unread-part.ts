/** Owns what is put in place of a part of a message that is not read: reading it would take long, and no client could use it. */

/** What is in a message instead of a part that is nested too deeply, or of an object with too many names. */
export class UnreadPart {
  /** What is wrong with the part. */
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

const reasons = new WeakMap<object, string>();

/** Notes that a message contains such a part. */
export function noteUnread(message: object, reason: string): void {
  reasons.set(message, reason);
}

/** Returns what is wrong with the part of a message that was not read; `undefined` if the message is whole. */
export const unreadIn = (message: object): string | undefined => reasons.get(message);
