/** What recorded turns would have come to under other settings: replayed, with ranges for what the record cannot tell. */
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
export type { SeenAttempt } from './observed.ts';
