/**
 * Owns the structured log of a session (docs/specification.md#s2-observability): one entry for each failure or repair, for any logger with the interface of pino.
 *
 * Invariant: a logger that throws or rejects changes nothing.
 */
import { callSafely } from '../../engine/plain/call-safely.ts';
import type { SessionEvent } from './events.ts';

/** Logs one entry: details and a message. */
export type SessionLog = (details: Readonly<Record<string, unknown>>, text: string) => unknown;

/** The methods that are used of a logger, such as a pino logger. */
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
  // There is no other place to report it.
}

function entryOf(event: SessionEvent): Entry | undefined {
  switch (event.event_type) {
    case 'ValidationRetryScheduled':
      return ['warn', { ...attemptFields(event), delaySeconds: event.delay_ms / 1_000 }, 'validation failed, the model may retry'];
    case 'ValidationRetryExhausted':
      return ['error', { ...attemptFields(event), stoppedBy: event.stopped_by }, 'validation failed, no further attempt'];
    case 'ValidationRecovered':
      return ['info', { ...callFields(event), attempts: event.attempts }, 'validation succeeded after retries'];
    case 'AgentCallRefused':
      return ['warn', { ...callFields(event), code: event.code, error: event.error }, 'call refused'];
    case 'AgentRunStopped':
      return ['error', { reason: event.reason, error: event.message }, 'agent run stopped'];
    case 'ReducerFailed':
      return ['error', { ...callFields(event), reducer: event.reducer, errorType: event.error_type, error: event.error }, 'reducer failed'];
    case 'TranscriptRepaired':
      return ['info', { format: event.format, changes: event.changes.length }, 'transcript repaired'];
    case 'ArgumentsRepaired':
      return ['info', { ...callFields(event), repairs: event.repairs }, 'arguments repaired'];
    default:
      return undefined;
  }
}

type CallIds = { readonly tool_id?: string; readonly call_id?: string };

function callFields({ tool_id, call_id }: CallIds): Readonly<Record<string, unknown>> {
  return { ...(tool_id === undefined ? {} : { toolName: tool_id }), ...(call_id === undefined ? {} : { callId: call_id }) };
}

function attemptFields(
  event: CallIds & {
    readonly source: string;
    readonly attempt: number;
    readonly max_attempts: number;
    readonly error_type: string;
    readonly error: string;
  },
): Readonly<Record<string, unknown>> {
  return {
    ...callFields(event),
    source: event.source,
    attempt: event.attempt,
    maxAttempts: event.max_attempts,
    errorType: event.error_type,
    error: event.error,
  };
}
