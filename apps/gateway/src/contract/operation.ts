/** Owns the shapes of what is reported about the gateway itself. Types only. */

export interface Upstream {
  readonly name: string;
  readonly state: 'idle' | 'connecting' | 'up' | 'down' | 'closed';
  readonly pid?: number;
  readonly protocol_version?: string;
  readonly server_name?: string;
  readonly server_version?: string;
  readonly restarts: number;
  readonly failures: number;
  readonly last_error?: string;
  readonly retry_after_ms?: number;
  /** The last lines of its standard error. */
  readonly stderr_tail?: string;
}

export interface UpstreamList {
  readonly upstreams: readonly Upstream[];
}

export interface Health {
  readonly status: 'ok';
}

export interface Readiness {
  readonly ready: boolean;
  readonly draining: boolean;
  /** Absent where nothing is kept. */
  readonly store?: { readonly ok: boolean; readonly dropped: number; readonly problem?: string };
  readonly upstreams: readonly Pick<Upstream, 'name' | 'state'>[];
  /** Why it is not ready. */
  readonly problems: readonly string[];
}
