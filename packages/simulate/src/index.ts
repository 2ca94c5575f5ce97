/** The entry `@holdfast/simulate`. */
export { simulate, startSimulation } from './run/simulation.ts';
export type { Simulation, SimulationOptions } from './run/simulation.ts';
export type { EndedTurn } from './metrics/ended-turn.ts';
export { compare, seedsOf } from './run/compare.ts';
export type { Comparison } from './run/compare.ts';
export { summarize } from './run/summary.ts';
export type { MeanFigure, Summary } from './run/summary.ts';
export { callContender } from './run/call-contender.ts';
export type { CallClient, CallContenderOptions } from './run/call-contender.ts';
export { none } from './run/none.ts';
export { holdfast } from './holdfast/holdfast.ts';
export type { HoldfastOptions } from './holdfast/holdfast.ts';
export { scenarios } from './scenarios/index.ts';
export type { ScenarioName } from './scenarios/index.ts';
export type { RateLimit, RetryAfter, TokenBucket } from './world/limit-types.ts';
export { checkWorld } from './world/check-world.ts';
export type { WorldProblem } from './world/check-world.ts';
export type { Distribution } from './world/distribution.ts';
export type { ColdCache, Drawn, ErrorAnswer, FaultSpan, Permanent, Slow, WorldFault, WorldFaultKind } from './world/fault.ts';
export type { AgentGroup, Arrivals, Burst, Service, TurnCall, World, WorldTool } from './world/world.ts';
export type {
  Answer,
  Contender,
  LabCall,
  LabClient,
  LabPlan,
  LabRun,
  LabTurn,
  LabTurnResult,
  PlannedLabCall,
  ServiceError,
} from './run/contender.ts';
export type { FaultWindow, RunMetrics, RunSeries } from './metrics/metrics.ts';
export type {
  Confidence,
  FittedTool,
  HistoryFigures,
  LabFigures,
  Recommendation,
  Tuned,
  TuneOptions,
  TunePoint,
  TuneProgress,
} from './tune/types.ts';
export { tune } from './tune/tune.ts';
