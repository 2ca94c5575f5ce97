/** Owns the saved form of a session and its validation. */
import type { SessionEvent } from './events.ts';
import { fieldsOf } from '../../engine/plain/is-object.ts';

/** A saved session: plain JSON data. */
export interface SavedSession {
  /** Version of this format. */
  readonly version: 1;
  /** Id of the session, the same in all its events. */
  readonly correlationId: string;
  /** All events, oldest first. */
  readonly events: readonly SessionEvent[];
}

/** @throws TypeError that names the invalid field */
export function checkSaved(saved: unknown): asserts saved is SavedSession {
  const { version, correlationId, events } = fieldsOf(saved) as Partial<SavedSession>;
  if (version !== 1)
    throw new TypeError(`Session.restore: 'version' must be 1, got ${String(version)}. Pass the value that save() returned.`);
  if (typeof correlationId !== 'string')
    throw new TypeError("Session.restore: 'correlationId' must be a string. Pass the value that save() returned.");
  if (!Array.isArray(events)) throw new TypeError("Session.restore: 'events' must be an array. Pass the value that save() returned.");
  for (const [index, event] of events.entries()) {
    const { event_type, seq } = fieldsOf(event) as Partial<SessionEvent>;
    if (typeof event_type !== 'string' || seq !== index + 1)
      throw new TypeError(
        `Session.restore: event ${index + 1} must have its event_type and the seq ${index + 1}. Pass the value that save() returned.`,
      );
  }
}
