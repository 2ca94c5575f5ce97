/** Owns the requests to Restate's admin address: paused turns, and resuming them. */
import { parseJsonOrUndefined } from '@holdfast/core/internal/plain';
import { boundedRequest } from '../engine/bounded-request.ts';
import { engineUnavailable } from '../engine/engine-unavailable.ts';

/** A turn that Restate paused after too many tries on workers that did not answer or failed. Nothing of it is lost. */
export interface PausedTurn {
  /** Id of the turn. */
  readonly turnId: string;
  /** Restate's id of the invocation that runs the turn, as its own tools show it. */
  readonly invocationId: string;
  /** How many times Restate retried the turn before it paused it. */
  readonly retries: number;
  /** The last failure. */
  readonly lastFailure?: string;
}

export interface AdminOptions {
  readonly adminUrl: string;
  readonly serviceName: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

export interface Admin {
  paused(turnId?: string): Promise<readonly PausedTurn[]>;
  resume(turn: PausedTurn): Promise<void>;
}

interface Row {
  readonly id: string;
  readonly target_service_key: string;
  readonly retry_count?: number;
  readonly last_failure?: string;
}

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const pausedTurn = (row: Row): PausedTurn => ({
  turnId: row.target_service_key,
  invocationId: row.id,
  retries: row.retry_count ?? 0,
  ...(row.last_failure === undefined ? {} : { lastFailure: row.last_failure }),
});

const isAnswer = (value: unknown): value is { readonly rows: readonly Row[] } =>
  typeof value === 'object' && value !== null && 'rows' in value && Array.isArray(value.rows);

const rowsOf = (text: string): readonly Row[] => {
  const value = parseJsonOrUndefined(text);
  if (isAnswer(value)) return value.rows;
  throw engineUnavailable('fault', `The server at adminUrl is not Restate: ${text.slice(0, 300)}`);
};

export const createAdmin = ({ adminUrl, serviceName, headers, timeoutMs }: AdminOptions): Admin => {
  const ask = async (method: 'POST' | 'PATCH', path: string, body?: string): Promise<string> => {
    const url = new URL(path, adminUrl).href;
    const answer = await boundedRequest({ method, url, headers, timeoutMs, ...(body === undefined ? {} : { body }) });
    if (answer.status < 300) return answer.text;
    throw engineUnavailable('fault', `Restate's admin address answered HTTP ${answer.status}: ${answer.text.slice(0, 300)}`);
  };
  return {
    paused: async (turnId) => {
      const one = turnId === undefined ? '' : ` AND target_service_key = ${quote(turnId)}`;
      const query = `SELECT id, target_service_key, retry_count, last_failure FROM sys_invocation WHERE target_service_name = ${quote(serviceName)} AND target_handler_name = 'run' AND status = 'paused'${one}`;
      return rowsOf(await ask('POST', '/query', JSON.stringify({ query }))).map(pausedTurn);
    },
    resume: async ({ invocationId }) => {
      await ask('PATCH', `/invocations/${encodeURIComponent(invocationId)}/resume`);
    },
  };
};
