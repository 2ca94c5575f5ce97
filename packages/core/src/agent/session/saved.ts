/** Owns what a session looks like while nobody has it open. */
import type { SessionEvent } from './events.ts';
import { fieldsOf } from '../../engine/plain/is-object.ts';

/** Plain JSON data. */
export interface SavedSession {
  /** Version of this format. */
  readonly version: 1;
  /** Id of the session, the same in all its events. */
  readonly correlationId: string;
  /** All events, oldest first. */
  readonly events: readonly SessionEvent[];
}

/** @throws TypeError naming what is wrong. */
export function checkSaved(saved: unknown): asserts saved is SavedSession {
  const { version, correlationId, events } = fieldsOf(saved) as Partial<SavedSession>;
  if (version !== 1) throw new TypeError(`Session.restore: 'version' must be 1, got ${String(version)}. Give it what save() answered.`);
  if (typeof correlationId !== 'string')
    throw new TypeError("Session.restore: 'correlationId' must be a string. Give it what save() answered.");
  if (!Array.isArray(events)) throw new TypeError("Session.restore: 'events' must be an array. Give it what save() answered.");
  for (const [index, event] of events.entries()) {
    const { event_type, seq } = fieldsOf(event) as Partial<SessionEvent>;
    if (typeof event_type !== 'string' || seq !== index + 1)
      throw new TypeError(
        `Session.restore: event ${index + 1} must have its event_type and the seq ${index + 1}. Give it what save() answered.`,
      );
  }
}
