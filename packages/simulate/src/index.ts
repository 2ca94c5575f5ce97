/** What `@holdfast/simulate` offers. */
export type { Distribution } from './world/distribution.ts';
export type { Drawn, Fault, FaultKind, FaultSpan } from './world/fault.ts';
export type { AgentGroup, Arrivals, Burst, RateLimit, Service, TurnCall, World, WorldTool } from './world/world.ts';
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
export type { FaultWindow, Metrics, Series } from './metrics/metrics.ts';
export type {
  Compared,
  Figures,
  LeftOut,
  LeftOutReason,
  PolicyChanges,
  Range,
  RecordedTurn,
  WhatIf,
  WhatIfCall,
  WhatIfOptions,
  WhatIfTurn,
} from './whatif/types.ts';
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
