/**
 * Owns the life of a server over many connections: lazy start, one connection for everybody, restart with backoff.
 *
 * Invariants
 * 1. There is at most one connection, or one attempt to make it.
 * 2. While the server is down, calls fail at once with `MCP_SERVER_DOWN` and `retryAfterMs`; nothing is started on its own.
 * 3. The first restart after a success is immediate, each further one waits twice as long as the one before.
 */
import type { Era, JsonObject } from '@holdfast/mcp-wire/client';
import { messageOf, runnerError } from '../runner-error.ts';
import type { Connection, Greeting } from './connection.ts';
import type { McpSettings } from './options.ts';

/** State of the connection to an MCP server. */
export interface McpServerStatus {
  /**
   * `idle`: no connection, the next call makes one. `down`: the last connection failed, and calls fail until `retryAfterMs` has passed. `closed`:
   * closed by this side for good.
   */
  readonly state: 'idle' | 'connecting' | 'up' | 'down' | 'closed';
  /** Of a stdio server. */
  readonly pid?: number;
  /** Negotiated MCP revision, such as `2025-11-25`. Absent without a connection. */
  readonly protocolVersion?: string;
  /** Name that the server gave itself. Absent without a connection. */
  readonly serverName?: string;
  /** Version that the server gave itself. Absent without a connection. */
  readonly serverVersion?: string;
  /** Connections made after the first. */
  readonly restarts: number;
  /** Failures in a row: greetings that failed and connections that ended before a call succeeded. */
  readonly failures: number;
  /** Message of the last connection error. Absent when there was none. */
  readonly lastError?: string;
  /** Time until the next start is tried, while `down`. */
  readonly retryAfterMs?: number;
  /** The last of what a stdio server wrote to standard error, without secrets. */
  readonly stderrTail?: string;
}

export interface Supervisor {
  /** The connection if there is one now. */
  readonly live: () => Connection | undefined;
  readonly connection: () => Promise<Connection>;
  /** Told after a call that the server has answered. */
  readonly succeeded: () => void;
  /** Runs work over a connection and keeps that open meanwhile, even when it is retired. */
  readonly using: <Output>(connection: Connection, work: () => Promise<Output>) => Promise<Output>;
  /** The next call makes a new connection; this one is closed when nobody uses it any more. */
  readonly retire: (connection: Connection) => void;
  readonly status: () => McpServerStatus;
  readonly close: () => Promise<void>;
}

export interface SupervisorListener {
  readonly connected: (connection: Connection) => void;
  readonly notified: (method: string, params: JsonObject) => void;
  readonly changed: (status: McpServerStatus) => void;
}

export function supervise(settings: McpSettings, listener: SupervisorListener): Supervisor {
  const closing = new AbortController();
  let current: Promise<Connection> | undefined;
  let live: Connection | undefined;
  let era: Era = settings.protocol === 'modern' ? 'modern' : 'legacy';
  let connections = 0;
  let failures = 0;
  let notBefore = 0;
  let lastError: Error | undefined;

  const changed = (): void => listener.changed(status());
  const startFailed = (error: Error, delayMs: number): Error => {
    failures++;
    notBefore = performance.now() + delayMs;
    lastError = error;
    changed();
    return error;
  };
  const backoffMs = (doublings: number): number =>
    doublings < 0 ? 0 : Math.min(settings.restartDelayMs * 2 ** doublings, settings.maxRestartDelayMs);

  /** Both eras are tried at one process; a server that ends when it hears the wrong one is started once more. */
  const greetInSomeEra = async (): Promise<Greeting> => {
    const { greet } = await import('./connection.ts');
    const other = era === 'legacy' ? 'modern' : 'legacy';
    const isOpen = settings.protocol === 'auto';
    const options = { signal: closing.signal, onNotification: listener.notified };
    const first = await greet(settings, { ...options, eras: isOpen ? [era, other] : [era] });
    if (!isOpen || first.connection !== undefined || !first.isEndedByRefusal) return first;
    const second = await greet(settings, { ...options, eras: [other] });
    return second.connection === undefined ? first : second;
  };

  const open = async (): Promise<Connection> => {
    const { connection, ...failure } = (await greetInSomeEra()) as Greeting & { readonly cause?: unknown; readonly stderrTail?: string };
    if (closing.signal.aborted) {
      await connection?.peer.close();
      throw closedError(settings);
    }
    if (connection === undefined) {
      current = undefined;
      if (settings.protocol === 'auto') era = 'legacy';
      throw startFailed(startError(settings, failure.cause, failure.stderrTail ?? '', backoffMs(failures)), backoffMs(failures));
    }
    era = connection.peer.greeting.era;
    live = connection;
    connections++;
    void watch(connection);
    changed();
    listener.connected(connection);
    return connection;
  };

  const users = new WeakMap<Connection, number>();
  const retired = new Set<Connection>();
  const endings = new Set<Promise<void>>();
  const closeUnused = (connection: Connection): void => {
    if ((users.get(connection) ?? 0) > 0 || !retired.delete(connection)) return;
    const ending = connection.peer.close().finally(() => endings.delete(ending));
    endings.add(ending);
  };

  const watch = async (connection: Connection): Promise<void> => {
    await connection.peer.ended;
    if (live !== connection) return;
    live = undefined;
    current = undefined;
    if (closing.signal.aborted) return;
    const { link } = connection;
    startFailed(
      startError(settings, link.endReason() ?? new Error('the connection was closed'), link.stderrTail(), 0),
      backoffMs(failures - 1),
    );
  };

  const waitMs = (): number => Math.max(0, Math.ceil(notBefore - performance.now()));
  const status = (): McpServerStatus => {
    const stderrTail = live?.link.stderrTail() ?? (lastError as { readonly stderr?: string } | undefined)?.stderr ?? '';
    return {
      ...liveStatus(live),
      state: stateOf(closing.signal.aborted, live, current, waitMs()),
      restarts: Math.max(0, connections - 1),
      failures,
      ...(lastError === undefined ? {} : { lastError: lastError.message }),
      ...(live === undefined && waitMs() > 0 ? { retryAfterMs: waitMs() } : {}),
      ...(stderrTail === '' ? {} : { stderrTail }),
    };
  };

  return {
    status,
    live: () => live,
    connection: () => {
      if (closing.signal.aborted) return Promise.reject(closedError(settings));
      if (current === undefined && lastError !== undefined && waitMs() > 0) return Promise.reject(downError(lastError, waitMs()));
      if (current !== undefined) return current;
      current = open();
      changed();
      return current;
    },
    succeeded: () => {
      failures = 0;
    },
    async using(connection, work) {
      users.set(connection, (users.get(connection) ?? 0) + 1);
      try {
        return await work();
      } finally {
        users.set(connection, (users.get(connection) ?? 1) - 1);
        closeUnused(connection);
      }
    },
    retire(connection) {
      if (live === connection) live = current = undefined;
      retired.add(connection);
      closeUnused(connection);
    },
    async close() {
      closing.abort(closedError(settings));
      const connection = await current?.catch(() => undefined);
      live = undefined;
      await connection?.peer.close();
      await Promise.allSettled(endings);
      changed();
    },
  };
}

function stateOf(
  isClosed: boolean,
  live: Connection | undefined,
  current: Promise<Connection> | undefined,
  waitMs: number,
): McpServerStatus['state'] {
  if (isClosed) return 'closed';
  if (live !== undefined) return 'up';
  if (current !== undefined) return 'connecting';
  return waitMs > 0 ? 'down' : 'idle';
}

function liveStatus(live: Connection | undefined): Partial<McpServerStatus> {
  if (live === undefined) return {};
  const { peer, link } = live;
  const { protocolVersion, serverInfo } = peer.greeting;
  const { name, version } = serverInfo;
  return {
    ...(link.pid === undefined ? {} : { pid: link.pid }),
    protocolVersion,
    ...(typeof name === 'string' ? { serverName: name } : {}),
    ...(typeof version === 'string' ? { serverVersion: version } : {}),
  };
}

function startError(settings: McpSettings, cause: unknown, stderrTail: string, retryAfterMs: number): Error {
  const told = stderrTail.trim().split('\n').slice(-3).join(' | ').slice(-300);
  const message = `MCP server ${settings.name} is down: ${messageOf(cause)}${told === '' ? '' : `; it wrote: ${told}`}`;
  return runnerError('MCP_SERVER_DOWN', message, { cause, stderr: stderrTail === '' ? undefined : stderrTail, retryAfterMs });
}

/** The same failure, told again to a call that was not tried. */
function downError(last: Error, retryAfterMs: number): Error {
  const { stderr } = last as { readonly stderr?: unknown };
  return runnerError('MCP_SERVER_DOWN', `${last.message}; next start in ${retryAfterMs} ms`, { cause: last.cause, stderr, retryAfterMs });
}

function closedError(settings: McpSettings): Error {
  return runnerError('RUNNER_CLOSED', `MCP server ${settings.name} is closed: make a new one to run this tool.`);
}
