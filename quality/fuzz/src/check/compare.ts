/** Owns the comparison of one scene run by two drivers: the same events of every call, at the same times. */
import type { TraceEvent } from '@holdfast/core';
import { createRedactor } from '@holdfast/core';
import type { Play } from '../play/observation.ts';
import { group } from './case.ts';

/** The first difference of each call that has one. */
export function comparePlays(one: Play, other: Play): readonly string[] {
  const [first, second] = [byCall(one), byCall(other)];
  return [...new Set([...first.keys(), ...second.keys()])].flatMap((name) => {
    const [a, b] = [first.get(name) ?? [], second.get(name) ?? []];
    const index = a.findIndex((text, at) => text !== b[at]);
    if (index < 0 && a.length === b.length) return [];
    const at = index < 0 ? a.length : index;
    return [`${name}: ${one.driver} has ${String(a[at]).slice(0, 400)}, ${other.driver} has ${String(b[at]).slice(0, 400)}`];
  });
}

/** Without the fields that number and date the events, and those about how a turn began. */
function byCall({ events }: Play): ReadonlyMap<string, readonly string[]> {
  const shown = events.flatMap(({ event }) => (isCompared(event) ? [event] : []));
  const groups = group(shown, (event) => `${event.turn_id} ${'call_id' in event ? (event.call_id ?? '') : ''}`);
  return new Map([...groups].map(([name, own]) => [name, inOrder(own)]));
}

/** Events of a call at the same instant may be in any order. */
function inOrder(events: readonly TraceEvent[]): readonly string[] {
  const at = ({ elapsed_ms }: TraceEvent): number => Math.round(elapsed_ms * 1e3);
  return events
    .map((event) => ({ at: at(event), text: textOf(event) }))
    .toSorted((one, other) => one.at - other.at || (one.text < other.text ? -1 : 1))
    .map(({ text }) => text);
}

function isCompared({ event_type }: TraceEvent): boolean {
  return !['TurnStarted', 'TurnTakenOver', 'ComponentFailed', 'CallStarted'].includes(event_type);
}

/** The virtual driver does not redact strings. */
const redact = createRedactor();

function textOf({ seq: _seq, timestamp: _timestamp, ...event }: TraceEvent): string {
  return JSON.stringify(event, (key, value: unknown) => {
    // Reports about outputs and arguments depend on what is captured.
    if (key === 'output') return undefined;
    if (typeof value === 'string') return redact(value);
    return typeof value === 'number' ? Math.round(value * 1e3) / 1e3 : value;
  });
}
