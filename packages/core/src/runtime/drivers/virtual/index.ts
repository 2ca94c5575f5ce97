/** The table of contents of `@holdfast/core/virtual`: the engine in simulated time. */
export { createAgenda } from './agenda.ts';
export type { Agenda } from './agenda.ts';
export { failedOutcome } from './failed-outcome.ts';
export type { FailedOutcomeOptions } from './failed-outcome.ts';
export { scripted } from './script.ts';
export type { Script, ScriptedAttempt } from './script.ts';
export { VirtualHost } from './virtual-host.ts';
export type { Abort, AttemptRequest, Perform, VirtualHostOptions } from './virtual-host.ts';
export { createVirtualTools, touchedCircuits } from './virtual-tools.ts';
export type { VirtualTools } from './virtual-tools.ts';
export { createVirtualWorld } from './virtual-world.ts';
export type { VirtualWorld, VirtualWorldOptions, WorldTurn } from './virtual-world.ts';
export type { Fault } from '../../../engine/call/fault.ts';
export type { AbortReason, Outcome } from '../../../engine/call/protocol.ts';
export { drawAt } from '../../../engine/backoff/random.ts';
export { memoryEvents } from '../../../projections/episodic-memory.ts';
export { StreamedTrace } from '../../../engine/trace/streamed-trace.ts';
export type { StreamedTraceOptions } from '../../../engine/trace/streamed-trace.ts';
