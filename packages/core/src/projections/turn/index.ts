/** The entry `@holdfast/core/turn-view`: the view of a turn and its calls, computed from its events. */
export { counterfactuals, type Counterfactual, type FailedCheck } from './counterfactuals.ts';
export { emptySegment } from './draft.ts';
export { createTurnFold, foldTurn, type TurnFold, type TurnFoldOptions } from './fold-turn.ts';
export { interruptTurn } from './interrupt-turn.ts';
export { isControlTurnId } from '../../engine/trace/control-turn-id.ts';
export * as fields from './fields.ts';
export {
  compareToLimit,
  groupByStrategy,
  guardName,
  guardSubject,
  isInapplicable,
  measuresTime,
  type CheckedStrategy,
  type StrategyGuards,
} from './strategy-guards.ts';
export { circuitsOf, latenessOf, turnTotals, type CircuitView, type TurnTotals } from './totals.ts';
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
