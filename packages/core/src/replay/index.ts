/** The entry `@holdfast/core/replay`: replays a recorded turn, exactly or with other settings. For development tools; not needed in production. */
export { replayTurn } from './replay-turn.ts';
export type { Replay } from './replay-turn.ts';
export type { ReplayOptions, UnknownAttempts } from './replay-options.ts';
export type { DecisionDifference, EventDifference, ReplayDifference, ResultDifference } from './differences.ts';
export { changedTurnSettings, readRecording } from './recording.ts';
export type { CallEvents, Recording } from './recording.ts';
export type { RecordedStop } from './recorded-stop.ts';
export type { SingleCallSettings } from '../engine/trace/events.ts';
export { recordedFault, recordedOutcome } from './recorded-outcome.ts';
export type { Fault, FaultKind } from '../engine/call/fault.ts';
