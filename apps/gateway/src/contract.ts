/**
 * Owns the types of the gateway's answers, for its clients. Types only: nothing here exists at run time.
 *
 * Keys are snake_case as in manifests and traces; times are milliseconds (`…_ms`) or ISO 8601 (`…_at`). New optional fields may be added.
 */
export type * from './contract/alerts.ts';
export type * from './contract/history.ts';
export type * from './contract/logins.ts';
export type * from './contract/operation.ts';
export type * from './contract/overview.ts';
export type * from './contract/problem.ts';
export type * from './contract/tools.ts';
export type * from './contract/turns.ts';
export type * from './contract/what-if.ts';
export type { DecisionInputs, Guard, TraceEvent } from '@holdfast/core';
export type {
  CallRecord as CallPointer,
  CircuitChange,
  CircuitSample,
  FailureRecord as FailurePointer,
  StrategyCount as StrategyResult,
  TurnFacts,
} from '@holdfast/core/history';
export type { FailureWords as CallError, ResultWords as CallResult } from '@holdfast/manifest';
