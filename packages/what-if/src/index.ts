/** Results of recorded turns under other settings: replayed, with ranges for everything that the record does not determine. */
export { whatIf } from './what-if.ts';
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
} from './types.ts';
export { readTurns } from './read-turns.ts';
export type { ReadTurn, ReadTurns } from './read-turns.ts';
export type { SeenAttempt } from './observed-attempts.ts';
