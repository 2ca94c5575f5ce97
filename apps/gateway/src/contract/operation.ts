/** Owns the types of answers about the gateway itself. Types only. */

/** One MCP server behind the gateway, with the state of its connection. */
export interface Upstream {
  /** Name of the server in the manifest. */
  readonly name: string;
  /**
   * `idle`: no connection; the next call opens one. `down`: the last connection failed and a new one waits for `retry_after_ms`. `closed`: the
   * gateway is shutting down.
   */
  readonly state: 'idle' | 'connecting' | 'up' | 'down' | 'closed';
  /** Process id of a stdio server. Absent for an HTTP server and without a connection. */
  readonly pid?: number;
  /** Negotiated MCP revision, such as `2025-11-25`. Absent without a connection. */
  readonly protocol_version?: string;
  /** Name that the server reports. Absent without a connection. */
  readonly server_name?: string;
  /** Version that the server reports. Absent without a connection. */
  readonly server_version?: string;
  /** Number of connections made after the first. */
  readonly restarts: number;
  /** Consecutive failures: handshakes that failed, and connections that ended before a call succeeded. */
  readonly failures: number;
  /** Message of the last connection error, without secrets. Absent when there was none. */
  readonly last_error?: string;
  /** Why a login at the server is needed, and how to log in. Absent when none is needed. */
  readonly login_required?: string;
  /** Clients that have no login of their own at the server (`isolation: per_principal`). Absent when there are none. */
  readonly logins_missing?: readonly string[];
  /** Number of its tools that are not offered, because the lock file blocks them. Absent when there are none. */
  readonly tools_withheld?: number;
  /** Milliseconds until a new connection may be made. Absent unless `state` is `down`. */
  readonly retry_after_ms?: number;
  /** The last lines of its standard error. */
  readonly stderr_tail?: string;
}

/** `GET /v1/upstreams`: the MCP servers behind the gateway. */
export interface UpstreamList {
  /** All servers, in the order of the manifest. */
  readonly upstreams: readonly Upstream[];
}

/** `GET /healthz`: the process answers. */
export interface Health {
  /** Always `ok`. */
  readonly status: 'ok';
}

/** `GET /readyz`: whether the gateway takes work. Answered with 200 if ready, otherwise with 503. */
export interface Readiness {
  /** `false` while it drains, or when all upstreams are down. One that waits for a login does not count as down. */
  readonly ready: boolean;
  /** The gateway is shutting down and accepts no new work. */
  readonly draining: boolean;
  /** Absent without a store. */
  readonly store?: { readonly ok: boolean; readonly dropped: number; readonly problem?: string };
  /** Name and state of each MCP server, in the order of the manifest. `login_required`: someone has to log in there. `logins_missing`: the number of clients without a login of their own. */
  readonly upstreams: readonly (Pick<Upstream, 'name' | 'state'> & { readonly login_required?: true; readonly logins_missing?: number })[];
  /** Why it is not ready. */
  readonly problems: readonly string[];
  /** What is out of order although it is ready: a store that cannot be written. Calls run without it. */
  readonly degraded: readonly string[];
}
