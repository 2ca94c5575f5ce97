/** The events of one type, typed. */
import type { TraceEvent } from '@holdfast/core';
import type { TraceEventType } from '@holdfast/core/trace';

export type EventOf<Type extends TraceEventType> = Extract<TraceEvent, { event_type: Type }>;

export function eventsOf<Type extends TraceEventType>(events: readonly TraceEvent[], type: Type): readonly EventOf<Type>[] {
  return events.filter((event): event is EventOf<Type> => event.event_type === type);
}
