/**
 * Owns the structured log of a session (docs/specification.md#s2-observability): one entry for each event that tells of a failure, as any logger of pino's shape takes it.
 *
 * Invariant: a logger that throws or rejects changes nothing.
 */
import { callSafely } from '../../runtime/service/call-safely.ts';
import type { SessionEvent } from './events.ts';

/** One entry: what it is about, and a string. */
export type SessionLog = (details: Readonly<Record<string, unknown>>, text: string) => unknown;

/** What is needed of a logger; pino, and everything that can be called like it, has it. */
export interface SessionLogger {
  /** Not called at present; required because every such logger has it. */
  readonly debug: SessionLog;
  /** Receives validation failures that the model corrected, and repairs. */
  readonly info: SessionLog;
  /** Receives failed validations that are retried, and refused calls. */
  readonly warn: SessionLog;
  /** Receives validations that failed for good, stopped runs, and reducers or listeners that failed. */
  readonly error: SessionLog;
}

type Level = keyof SessionLogger;
type Entry = readonly [level: Level, details: Readonly<Record<string, unknown>>, text: string];

export function logEvent(logger: SessionLogger | undefined, event: SessionEvent): void {
  if (!logger) return;
  const entry = entryOf(event);
  if (entry) log(logger, entry[0], { correlationId: event.correlation_id, ...entry[1] }, entry[2]);
}

export function log(logger: SessionLogger | undefined, level: Level, details: Readonly<Record<string, unknown>>, text: string): void {
  if (logger) callSafely(() => logger[level](details, text), ignore);
}

function ignore(): void {
  // There is nobody to tell.
}

function entryOf(event: SessionEvent): Entry | undefined {
  switch (event.event_type) {
    case 'ValidationRetryScheduled':
      return ['warn', { ...attempt(event), delaySeconds: event.delay_ms / 1_000 }, 'validation failed, the model tries again'];
    case 'ValidationRetryExhausted':
      return ['error', { ...attempt(event), stoppedBy: event.stopped_by }, 'validation failed for good'];
    case 'ValidationRecovered':
      return ['info', { ...place(event), attempts: event.attempts }, 'validation succeeded after retries'];
    case 'AgentCallRefused':
      return ['warn', { ...place(event), code: event.code, error: event.error }, 'call refused'];
    case 'AgentRunStopped':
      return ['error', { reason: event.reason, error: event.message }, 'agent run stopped'];
    case 'ReducerFailed':
      return ['error', { ...place(event), reducer: event.reducer, errorType: event.error_type, error: event.error }, 'reducer failed'];
    case 'TranscriptRepaired':
      return ['info', { format: event.format, changes: event.changes.length }, 'transcript repaired'];
    case 'ArgumentsRepaired':
      return ['info', { ...place(event), repairs: event.repairs }, 'arguments repaired'];
    default:
      return undefined;
  }
}

type Placed = { readonly tool_id?: string; readonly call_id?: string };

function place({ tool_id, call_id }: Placed): Readonly<Record<string, unknown>> {
  return { ...(tool_id === undefined ? {} : { toolName: tool_id }), ...(call_id === undefined ? {} : { callId: call_id }) };
}

function attempt(
  event: Placed & {
    readonly source: string;
    readonly attempt: number;
    readonly max_attempts: number;
    readonly error_type: string;
    readonly error: string;
  },
): Readonly<Record<string, unknown>> {
  return {
    ...place(event),
    source: event.source,
    attempt: event.attempt,
    maxAttempts: event.max_attempts,
    errorType: event.error_type,
    error: event.error,
  };
}
