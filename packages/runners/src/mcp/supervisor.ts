/**
 * Owns the supervision of a server across connections: lazy start, one shared connection, restarts with backoff.
 *
 * Invariants
 * 1. There is at most one connection, or one attempt to open it.
 * 2. While the server is down, calls fail at once with `MCP_SERVER_DOWN` and `retryAfterMs`; nothing is started on its own.
 *    A missing login is no outage: each call looks for it again.
 * 3. The first restart after a success is immediate; each further one waits twice as long as the last.
 */
import type { Era, JsonObject } from '@holdfast/mcp-wire/client';
import { codeOf, messageOf, runnerError } from '../runner-error.ts';
import type { Connection, ConnectResult } from './connection.ts';
import { ConnectionUsers } from './connection-users.ts';
import type { McpSettings } from './options.ts';
import { stderrExcerpt } from './stderr-excerpt.ts';

/** State of the connection to an MCP server. */
export interface McpServerStatus {
  /**
   * `idle`: no connection, the next call opens one. `down`: the last connection failed, and calls fail until `retryAfterMs` has passed. `closed`:
   * closed by `close`.
   */
  readonly state: 'idle' | 'connecting' | 'up' | 'down' | 'closed';
  /** Process id of a stdio server. */
  readonly pid?: number;
  /** Negotiated MCP revision, such as `2025-11-25`. Absent without a connection. */
  readonly protocolVersion?: string;
  /** Name of the server. Absent without a connection. */
  readonly serverName?: string;
  /** Version of the server. Absent without a connection. */
  readonly serverVersion?: string;
  /** Number of connections after the first. */
  readonly restarts: number;
  /** Consecutive failures: failed handshakes, and connections that ended before a call succeeded. */
  readonly failures: number;
  /** Message of the last connection error. Absent when there was none. */
  readonly lastError?: string;
  /** Time until the next start, while `down`. */
  readonly retryAfterMs?: number;
  /** The end of a stdio server's standard error, without secrets. */
  readonly stderrTail?: string;
}

export interface SupervisorListener {
  readonly connected: (connection: Connection) => void;
  readonly notified: (method: string, params: JsonObject) => void;
  readonly changed: (status: McpServerStatus) => void;
}

export class Supervisor {
  readonly #settings: McpSettings;
  readonly #listener: SupervisorListener;
  readonly #closing = new AbortController();
  readonly #users = new ConnectionUsers();
  #graceMs = Infinity;
  /** The connection, or the attempt to open it. */
  #current: Promise<Connection> | undefined;
  #live: Connection | undefined;
  #era: Era;
  #connections = 0;
  #failures = 0;
  #notBefore = 0;
  #lastError: Error | undefined;

  constructor(settings: McpSettings, listener: SupervisorListener) {
    this.#settings = settings;
    this.#listener = listener;
    this.#era = firstEra(settings);
  }

  /** The connection if there is one now. */
  live(): Connection | undefined {
    return this.#live;
  }

  connection(): Promise<Connection> {
    if (this.#closing.signal.aborted) return Promise.reject(closedError(this.#settings));
    const waitMs = this.#waitMs();
    if (this.#current === undefined && this.#lastError !== undefined && waitMs > 0)
      return Promise.reject(downError(this.#lastError, waitMs));
    if (this.#current !== undefined) return this.#current;
    this.#current = this.#open();
    this.#notifyChange();
    return this.#current;
  }

  /** Call it after the server has answered a call. */
  recordSuccess(): void {
    this.#failures = 0;
  }

  /** Runs work over a connection and keeps it open until the work ends, even if it is retired. */
  using<Output>(connection: Connection, work: () => Promise<Output>): Promise<Output> {
    return this.#users.using(connection, work);
  }

  /** The next call opens a new connection; this one is closed when no call uses it. */
  retire(connection: Connection): void {
    if (this.#live === connection) this.#live = this.#current = undefined;
    this.#users.retire(connection);
  }

  status(): McpServerStatus {
    const live = this.#live;
    const lastError = this.#lastError;
    const waitMs = this.#waitMs();
    const stderrTail = live?.link.stderrTail() ?? (lastError as { readonly stderr?: string } | undefined)?.stderr ?? '';
    return {
      ...liveStatus(live),
      state: stateOf(this.#closing.signal.aborted, live, this.#current, waitMs, lastError),
      restarts: Math.max(0, this.#connections - 1),
      failures: this.#failures,
      ...(lastError === undefined ? {} : { lastError: lastError.message }),
      ...(live === undefined && waitMs > 0 ? { retryAfterMs: waitMs } : {}),
      ...(stderrTail === '' ? {} : { stderrTail }),
    };
  }

  /** `graceMs`: how long a server may take to end, if that is shorter than its setting. */
  async close(graceMs: number = Infinity): Promise<void> {
    this.#graceMs = graceMs;
    this.#closing.abort(closedError(this.#settings));
    const connection = await this.#current?.catch(() => undefined);
    this.#live = undefined;
    connection?.link.limitGrace(graceMs);
    await connection?.peer.close();
    await this.#users.whenSettled();
    this.#notifyChange();
  }

  async #open(): Promise<Connection> {
    const { connection, ...failure } = (await this.#connect()) as ConnectResult & {
      readonly cause?: unknown;
      readonly stderrTail?: string;
    };
    if (this.#closing.signal.aborted) {
      connection?.link.limitGrace(this.#graceMs);
      await connection?.peer.close();
      throw closedError(this.#settings);
    }
    if (connection === undefined) {
      this.#current = undefined;
      this.#era = firstEra(this.#settings);
      const delayMs = isLoginRequired(failure.cause) ? 0 : this.#backoffMs(this.#failures);
      throw this.#recordFailure(startError(this.#settings, failure.cause, failure.stderrTail ?? '', delayMs), delayMs);
    }
    this.#era = connection.peer.handshake.era;
    this.#live = connection;
    this.#connections++;
    void this.#watch(connection);
    this.#notifyChange();
    this.#listener.connected(connection);
    return connection;
  }

  /** Tries both eras on one process. A server that exits during the wrong handshake is started once more. */
  async #connect(): Promise<ConnectResult> {
    const { connectServer } = await import('./connection.ts');
    const other = this.#era === 'legacy' ? 'modern' : 'legacy';
    const isOpen = this.#settings.protocol === 'auto';
    const options = { signal: this.#closing.signal, onNotification: this.#listener.notified };
    const first = await connectServer(this.#settings, { ...options, eras: isOpen ? [this.#era, other] : [this.#era] });
    if (!isOpen || first.connection !== undefined || !first.isEndedByRefusal) return first;
    const second = await connectServer(this.#settings, { ...options, eras: [other] });
    return second.connection === undefined ? first : second;
  }

  async #watch(connection: Connection): Promise<void> {
    await connection.peer.ended;
    if (this.#live !== connection) return;
    this.#live = undefined;
    this.#current = undefined;
    if (this.#closing.signal.aborted) return;
    const { link } = connection;
    const error = startError(this.#settings, link.endReason() ?? new Error('the connection was closed'), link.stderrTail(), 0);
    this.#recordFailure(error, this.#backoffMs(this.#failures - 1));
  }

  #recordFailure(error: Error, delayMs: number): Error {
    this.#failures++;
    this.#notBefore = performance.now() + delayMs;
    this.#lastError = error;
    this.#notifyChange();
    return error;
  }

  #backoffMs(doublings: number): number {
    const { restartDelayMs, maxRestartDelayMs } = this.#settings;
    return doublings < 0 ? 0 : Math.min(restartDelayMs * 2 ** doublings, maxRestartDelayMs);
  }

  #waitMs(): number {
    return Math.max(0, Math.ceil(this.#notBefore - performance.now()));
  }

  #notifyChange(): void {
    this.#listener.changed(this.status());
  }
}

/**
 * A server that speaks both eras is asked for the modern one first, over HTTP. Over stdio the other way round: a process of the legacy era may exit
 * at a request of the modern one, and would have to be started twice.
 */
function firstEra({ protocol, endpoint }: McpSettings): Era {
  if (protocol !== 'auto') return protocol;
  return endpoint.type === 'http' ? 'modern' : 'legacy';
}

function stateOf(
  isClosed: boolean,
  live: Connection | undefined,
  current: Promise<Connection> | undefined,
  waitMs: number,
  lastError: Error | undefined,
): McpServerStatus['state'] {
  if (isClosed) return 'closed';
  if (live !== undefined) return 'up';
  if (current !== undefined) return 'connecting';
  return waitMs > 0 || isLoginRequired(lastError) ? 'down' : 'idle';
}

function liveStatus(live: Connection | undefined): Partial<McpServerStatus> {
  if (live === undefined) return {};
  const { peer, link } = live;
  const { protocolVersion, serverInfo } = peer.handshake;
  const { name, version } = serverInfo;
  return {
    ...(link.pid === undefined ? {} : { pid: link.pid }),
    protocolVersion,
    ...(typeof name === 'string' ? { serverName: name } : {}),
    ...(typeof version === 'string' ? { serverVersion: version } : {}),
  };
}

/** Nothing has to recover: the next call works as soon as the login exists. */
const isLoginRequired = (error: unknown): error is Error => codeOf(error) === 'LOGIN_REQUIRED';

function startError(settings: McpSettings, cause: unknown, stderrTail: string, retryAfterMs: number): Error {
  if (isLoginRequired(cause)) return cause;
  const output = stderrExcerpt(stderrTail);
  const reason = messageOf(cause).replace(/\.$/, '');
  const message = `MCP server ${settings.name} is down: ${reason}${output === '' ? '' : `; it wrote: ${output}`}`;
  return runnerError('MCP_SERVER_DOWN', message, { cause, stderr: stderrTail === '' ? undefined : stderrTail, retryAfterMs });
}

/** A copy of the failure for a call that was not sent. */
function downError(last: Error, retryAfterMs: number): Error {
  const { stderr } = last as { readonly stderr?: unknown };
  return runnerError('MCP_SERVER_DOWN', `${last.message}; next start in ${retryAfterMs} ms`, { cause: last.cause, stderr, retryAfterMs });
}

function closedError(settings: McpSettings): Error {
  return runnerError('RUNNER_CLOSED', `MCP server ${settings.name} is closed: create a new one to run this tool.`);
}
