/** Who may call a tool now: circuit breaker, server hold, retry budget, rate limit and bulkhead behind one gate. */
export { control, restore, save, withSettings } from './gate-control.ts';
export { admit, cancelWait, createGate, markOrphaned, record, release, returnPermit } from './gate.ts';
export { health } from './health.ts';
export type {
  Admission,
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
  WaitReason,
} from './types.ts';
