/** The circuit breaker on its own. A tool's gate (`../admission/index.ts`) is what the engine talks to. */
export { circuitState, createBreaker, holdUntil, isHeld, peek, record, returnProbe, tryAcquire } from './breaker.ts';
export { control, withSettings } from './control.ts';
export { breakerDefaults } from './settings.ts';
export { isCircuitSnapshot, restore, save } from './snapshot.ts';
export type { RestoreOptions } from './snapshot.ts';
export type {
  Breaker,
  BreakerSettings,
  CircuitAdmission,
  CircuitCommand,
  CircuitCounters,
  CircuitMode,
  CircuitPermit,
  CircuitRefusal,
  CircuitSnapshot,
  CircuitState,
  CircuitTransition,
  ClockReading,
  Observation,
  OutcomeKind,
  RateSettings,
  TransitionReason,
  WindowSnapshot,
} from './types.ts';
