/** Owns how the end of a recorded turn is recognised: by its `TurnCompleted` or, for a single call, by its `CallCompleted`. */
import { checkEvent } from './check-event.ts';
import { toolTitle } from '../plain/tool-title.ts';
import type { TraceEvent, TurnCompleted } from './events.ts';

/** How a recorded turn, or a single call, ended. */
export interface TurnEnd {
  /** For a single call: `success`, `failed` or `cancelled`. */
  readonly outcome: TurnCompleted['outcome'];
  /** The summary of the turn; for a single call, its error message or `Completed …`. */
  readonly summary: string;
}

/** The end of the turn that an event records; `undefined` for every other event. */
export function turnEndOf(event: TraceEvent): TurnEnd | undefined {
  checkEvent(event, 'turnEndOf');
  if (event.event_type === 'TurnCompleted') return { outcome: event.outcome, summary: event.summary };
  if (event.event_type !== 'CallCompleted' || !event.ends_turn) return undefined;
  const title = toolTitle(event.tool_id);
  if (event.status === 'success') return { outcome: 'success', summary: `Completed ${title}` };
  return { outcome: event.code === 'CANCELLED' ? 'cancelled' : 'failed', summary: event.error ?? `The ${title} tool failed` };
}
