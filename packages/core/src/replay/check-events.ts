/**
 * Owns checking that events are the trace of one turn or single call, from its first event on: the fields of each (`event-fields.ts`) and their order. A trace may end anywhere.
 * Does not own checking the plan and the settings in it (`recording.ts`, `recorded-settings.ts`).
 *
 * 1. Every error names the event by its index, the field, its value and the fix.
 */
import { suggest } from '../engine/plain/suggest.ts';
import type { CallStarted, TraceEvent, TurnStarted } from '../engine/trace/events.ts';
import type { FieldRule, FieldRules } from './event-fields.ts';
import { eventFields, isOutsideCalls, stampFields } from './event-fields.ts';
import { asRecorded, refuse, refuseValue } from './misuse.ts';
import { singleCallStart } from './single-call-start.ts';
import { isObject } from '../engine/plain/is-object.ts';

/** Returns the start of the turn, also for a single call. @throws TypeError when the events are not the trace of one turn or single call */
export function checkEvents(events: readonly TraceEvent[]): TraceEvent & TurnStarted {
  if (!Array.isArray(events)) return refuseValue('events', 'an array', events);
  const isWhole = (events as readonly unknown[]).some((event) => isEventOf('TurnStarted', event));
  if (!isWhole && !isSingleCall(events[0])) {
    refuse(
      'the events contain no TurnStarted. Only the trace of a whole turn can be replayed, or that of a single call with its settings, which older versions did not record.',
    );
  }
  for (const [index, event] of events.entries()) checkEvent(event, index, events[index - 1]);
  const first = startOf(events[0] as TraceEvent, isWhole);
  const callIds = new Set(first.calls.map(({ call_id }) => call_id));
  for (const [index, event] of events.entries()) checkPlace(event, `events[${index}]`, first, callIds);
  return first;
}

function startOf(first: TraceEvent, isWhole: boolean): TraceEvent & TurnStarted {
  if (first.event_type === 'TurnStarted') return first;
  if (first.event_type === 'CallStarted' && first.settings && !isWhole) return singleCallStart(first, first.settings);
  return refuseValue('events[0].event_type', "'TurnStarted'", first.event_type);
}

function checkEvent(event: TraceEvent, index: number, before: TraceEvent | undefined): void {
  const place = `events[${index}]`;
  if (!isObject(event)) return refuseValue(place, 'an event', event);
  checkInside(stampFields, event, place);
  if (!isOutsideCalls(event)) checkInside(rulesFor(event.event_type, place), event, place);
  if (event.seq !== index + 1)
    refuseValue(
      `${place}.seq`,
      String(index + 1),
      event.seq,
      'Events are missing or out of order: pass all of the turn, as they were recorded.',
    );
  if (before && event.elapsed_ms < before.elapsed_ms)
    refuseValue(`${place}.elapsed_ms`, `${before.elapsed_ms} or more, the value of the previous event`, event.elapsed_ms);
}

function rulesFor(type: unknown, place: string): FieldRules {
  const tables: Readonly<Record<string, FieldRules>> = eventFields;
  if (typeof type === 'string' && Object.hasOwn(tables, type)) return tables[type] ?? {};
  const nearest = typeof type === 'string' ? suggest(type, Object.keys(tables)) : undefined;
  const hint = nearest ? `Did you mean '${nearest}'? ${asRecorded}` : 'Replay a record with the version that wrote it, or a later one.';
  return refuseValue(`${place}.event_type`, 'a known event type', type, hint);
}

/** Rejects events of other turns and of calls that are not in the plan. */
function checkPlace(event: TraceEvent, place: string, first: TraceEvent, callIds: ReadonlySet<string>): void {
  if (event.turn_id !== first.turn_id) refuseValue(`${place}.turn_id`, `'${first.turn_id}', the value of the first event`, event.turn_id);
  if (event.seq !== first.seq && event.event_type === 'TurnStarted') refuse(`${place} is a second 'TurnStarted'. ${asRecorded}`);
  if (!isOutsideCalls(event) && 'call_id' in event && event.call_id !== undefined && !callIds.has(event.call_id))
    refuseValue(`${place}.call_id`, `a call of the plan in events[0]`, event.call_id);
}

function checkInside(rules: FieldRules, value: object, place: string): void {
  for (const [key, rule] of Object.entries(rules)) checkField(rule, (value as Readonly<Record<string, unknown>>)[key], `${place}.${key}`);
}

function checkField(rule: FieldRule, value: unknown, place: string): void {
  if (value === undefined && rule.optional) return;
  if (!rule.fits(value)) refuseValue(place, rule.mustBe, value);
  if (rule.inside) checkInside(rule.inside, value as object, place);
  if (!rule.each) return;
  for (const [key, part] of Object.entries(value as object))
    checkField(rule.each, part, place + (Array.isArray(value) ? `[${key}]` : `['${key}']`));
}

function isSingleCall(first: unknown): boolean {
  return isEventOf('CallStarted', first) && (first as Partial<CallStarted>).settings !== undefined;
}

function isEventOf(type: TraceEvent['event_type'], event: unknown): boolean {
  return isObject(event) && (event as Partial<TraceEvent>).event_type === type;
}
