/** Owns the log of a worker: otherwise Restate's SDK writes to the console, and too much. */
import type { LoggerTransport } from '@restatedev/restate-sdk';

/** A log entry for the operator of a worker. */
export interface WorkerLogEntry {
  /** `warn` for a lost connection and for a turn that ended without a result; otherwise the level that Restate's SDK gave it. */
  readonly level: 'warn' | 'error';
  /** What happened: one sentence if the cause is known, otherwise the text of Restate's SDK. */
  readonly message: string;
  /** Id of the turn. Absent outside of a request. */
  readonly turnId?: string;
  /** Restate's id of the invocation. Absent outside of a request. */
  readonly invocationId?: string;
}

/** Receives the log entries of a worker. */
export type WorkerLog = (entry: WorkerLogEntry) => void;

type LogText = Pick<WorkerLogEntry, 'level' | 'message'>;

/** A warning at each start, which `identityKeys` makes unnecessary. */
const UNSIGNED = 'Accepting requests without validating';

/** The SDK reports the loss of a connection in several ways. */
const LOST = /ERR_STREAM_PREMATURE_CLOSE|Connection closed|ATTEMPT_ENDED|AttemptEnded/;
const LOST_AGAIN = /Got abort error from connection|ERR_STREAM_WRITE_AFTER_END|write after end|ERR_HTTP2_INVALID_STREAM/;
const REFUSED = /TerminalError: (.*)/;

const textOf = (part: unknown): string => {
  if (typeof part === 'string') return part;
  return part instanceof Error ? (part.stack ?? part.message) : String(part);
};

const codeOf = (part: unknown): string => (typeof part === 'object' && part !== null && 'code' in part ? String(part.code) : '');

const summarize = (level: WorkerLogEntry['level'], parts: readonly unknown[]): LogText | undefined => {
  const text = parts.map(textOf).join(' ');
  const signs = `${text} ${parts.map(codeOf).join(' ')}`;
  if (text.startsWith(UNSIGNED) || LOST_AGAIN.test(signs)) return undefined;
  if (LOST.test(signs))
    return {
      level: 'warn',
      message: 'The connection to Restate was lost during a turn; the turn continues on the worker that Restate calls next.',
    };
  const refused = REFUSED.exec(text)?.[1];
  return refused === undefined ? { level, message: text } : { level: 'warn', message: `The turn ended without a result: ${refused}` };
};

export const createLogTransport =
  (log: WorkerLog): LoggerTransport =>
  ({ level, context }, ...parts: readonly unknown[]) => {
    const name = String(level);
    if (name !== 'warn' && name !== 'error') return;
    const entry = summarize(name, parts);
    if (entry === undefined) return;
    log({
      ...entry,
      ...(context?.key === undefined ? {} : { turnId: context.key }),
      ...(context === undefined ? {} : { invocationId: context.invocationId }),
    });
  };
