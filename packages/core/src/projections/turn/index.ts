/** The entry `@holdfast/core/turn-view`: what happened to the calls of a turn, read from its events. */
export { createTurnFold, foldTurn, type TurnFold, type TurnFoldOptions } from './fold-turn.ts';
export * as fields from './fields.ts';
export {
  groupGuards,
  guardName,
  guardSubject,
  isIdleWay,
  limitComparison,
  measuresTime,
  type GuardGroup,
  type Way,
} from './group-guards.ts';
export { circuitsOf, turnTotals, type CircuitView, type TurnTotals } from './totals.ts';
export type {
  CallEnd,
  CallStatus,
  CallView,
  CircuitChangeView,
  DecisionView,
  FailureView,
  ProgressView,
  Segment,
  SegmentKind,
  SegmentResult,
  Skip,
  TurnView,
} from './turn-view.ts';
