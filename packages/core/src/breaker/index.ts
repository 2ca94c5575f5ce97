/** The circuit breaker on its own. A tool's gate (`../admission/index.ts`) is what the engine talks to. */
export { circuitState, createBreaker, record, tryAcquire } from './breaker.ts';
export { restore, save } from './snapshot.ts';
export type {
  BreakerSettings,
  CircuitCommand,
  CircuitCounters,
  CircuitMode,
  CircuitRefusal,
  CircuitSnapshot,
  CircuitState,
  CircuitTransition,
  RateSettings,
  TransitionReason,
  WindowSnapshot,
} from './types.ts';
