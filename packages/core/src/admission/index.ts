/** Who may call a tool now: circuit breaker, server hold, retry budget, rate limit and bulkhead behind one gate. */
export { control, holdUntil, restore, save, withSettings } from './gate-control.ts';
export { admit, cancelWait, createGate, markOrphaned, record, release, returnPermit, waitOut } from './gate.ts';
export { health } from './health.ts';
export { isProbeOut, lookAgain } from './gate.ts';
export { wakeAt } from './waking.ts';
export type {
  Admission,
  AdmissionRequest,
  CircuitState,
  CircuitTransition,
  Gate,
  GateChange,
  GateSettings,
  Observation,
  Permit,
  Refusal,
  RefusalCode,
  ToolHealth,
} from './types.ts';
