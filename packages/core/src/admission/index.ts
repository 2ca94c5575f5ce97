/** Who may call a tool now: circuit breaker, server hold, retry budget, rate limit and bulkhead behind one gate. */
export { control, holdUntil, restore, save, withSettings } from './gate-control.ts';
export { admit, cancelWait, createGate, markOrphaned, record, release, returnPermit } from './gate.ts';
export { health } from './health.ts';
export type {
  Admission,
  AdmissionRequest,
  CircuitMode,
  CircuitState,
  CircuitTransition,
  Gate,
  GateChange,
  GateSettings,
  Observation,
  OutcomeKind,
  Permit,
  Refusal,
  RefusalCode,
  ToolHealth,
} from './types.ts';
