/** The entry `@holdfast/core/trace`: every event of the Turn Trace, and reading them back. */
export type * from './events.ts';
export { agentEventTypes } from './agent-event-types.ts';
export { TurnTrace } from './turn-trace.ts';
export type { Trace, TurnTraceOptions } from './turn-trace.ts';
export { turnEndOf } from './turn-end.ts';
export type { TurnEnd } from './turn-end.ts';
export { recordDecision, recordInputs } from './checked-records.ts';
