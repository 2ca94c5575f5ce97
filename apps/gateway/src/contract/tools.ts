/** Owns the types of tools, their health, metrics and circuits. Types only. */

/** State of a circuit. A query also returns `half_open` when the open period has passed and no call has come yet. */
export type CircuitState = 'closed' | 'open' | 'half_open';
/**
 * Manual control of a circuit. `auto` follows the outcomes; `forced_open` refuses every call; `disabled` neither counts nor refuses; `shadow` counts
 * and changes state as `auto` would, but refuses nothing.
 */
export type CircuitMode = 'auto' | 'forced_open' | 'disabled' | 'shadow';
/**
 * `POST /v1/tools/{name}/circuit`: sets the mode of a circuit (`open`: `forced_open`; `disable`: `disabled`; `shadow`; `auto`), or resets it: closed
 * with all counts cleared, in its present mode (`reset`; `forced_open` becomes `auto`) or in `auto` (`close`).
 */
export type CircuitCommand = 'open' | 'close' | 'disable' | 'shadow' | 'reset' | 'auto';

/** What a tool admits at the moment: its circuit, its limits and its retry budget. */
export interface ToolHealth {
  /** `null`: the tool has no circuit breaker. */
  readonly circuit: CircuitState | null;
  /** Manual control of the circuit. */
  readonly mode: CircuitMode;
  /** Consecutive transient failures. */
  readonly failure_count: number;
  /** Milliseconds until a call may be admitted again. Absent when one may be now, or when that is not known. */
  readonly retry_after_ms?: number;
  /** How long a server's Retry-After still holds calls, whatever the state of the circuit, in milliseconds. Absent when it holds none. */
  readonly held_ms?: number;
  /** Attempts that run now, orphans included. */
  readonly in_flight: number;
  /** Attempts that timed out and are still running. */
  readonly orphaned: number;
  /** Calls that wait for admission. */
  readonly queued: number;
  /** Retries that the retry budget allows now. Absent without a budget. */
  readonly retry_budget_left?: number;
  /**
   * Clients of an isolated server whose own circuit is not closed, or is controlled manually. Absent when there are none, and for a client that does not see
   * what others do: it gets the health of its own circuit.
   */
  readonly clients?: readonly ClientCircuit[];
}

/** A circuit of one client, at a server that gives every client or session its own connection. */
export interface ClientCircuit {
  /** Name of the client, as in the ids of its turns; with `#` and a mark of the session where every session has its own. */
  readonly client: string;
  /** State of its circuit. */
  readonly circuit: CircuitState;
  /** Manual control of its circuit. */
  readonly mode: CircuitMode;
  /** Consecutive transient failures of its calls. */
  readonly failure_count: number;
  /** Milliseconds until a call of the client may be admitted again. Absent when one may be now, or when that is not known. */
  readonly retry_after_ms?: number;
}

/**
 * What a tool did since the process started. The names of docs/specification.md#s4-metrics count calls, those of #s0-8-1 count attempts.
 */
export interface ToolMetrics {
  /** Calls that were answered. */
  readonly total_executions: number;
  /** Calls that were answered with status `success`. */
  readonly success_count: number;
  /** Calls that were answered with status `error`, without cancelled ones. */
  readonly execution_error_count: number;
  /** Calls that were answered with status `timeout`. */
  readonly execution_timeout_count: number;
  /** Calls that the caller cancelled. They are not failures. */
  readonly cancelled_count: number;
  /** Mean duration of all answered calls in milliseconds. */
  readonly avg_execution_time_ms: number;
  /** Share of failed calls among those that were not cancelled, 0 to 1. */
  readonly failure_rate: number;
  /** Failed attempts, including those on behalf of another tool. The `execution_…` fields count calls. */
  readonly error_count: number;
  /** Failed attempts with a transient error. */
  readonly transient_error_count: number;
  /** Failed attempts with a permanent error. */
  readonly permanent_error_count: number;
  /** Attempts beyond the first of a call. */
  readonly retry_count: number;
  /** Share of retries that succeeded, 0 to 1; 0 when there were none. */
  readonly retry_success_rate: number;
  /** How often the circuit opened. */
  readonly circuit_breaker_opens: number;
  /** Attempts that were ended by their time limit. */
  readonly timeout_count: number;
  /** How often admission refused an attempt. */
  readonly refused_count: number;
}

/** Where a tool comes from. */
export type ToolSource =
  | { readonly kind: 'tool' }
  | { readonly kind: 'mcp'; readonly server: string; readonly tool: string }
  | { readonly kind: 'openapi'; readonly api: string; readonly operation: string };

/** A tool with its health, metrics and settings. */
export interface ToolItem {
  /** Name under which the tool is offered. */
  readonly name: string;
  /** What the tool does, as the model reads it. Absent when the tool has none. */
  readonly description?: string;
  /** Where the tool comes from. */
  readonly source: ToolSource;
  /** Whether its upstream does not answer, and this is the last known definition. */
  readonly degraded: boolean;
  /** What the tool admits at the moment. */
  readonly health: ToolHealth;
  /** What the tool did since the process started. */
  /** Absent for a client that does not see what others do. */
  readonly metrics?: ToolMetrics;
  /** As in a manifest, all layers merged. `null` means no limit. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** `GET /v1/tools`: one page of the tools. */
export interface ToolPage {
  /** Ordered by name. */
  readonly tools: readonly ToolItem[];
  /** Pass it as `cursor` to get the next page. Absent on the last page. */
  readonly next_cursor?: string;
}

/** `GET /v1/tools/{name}`: a tool with its schemas. A schema given as code, not as JSON, is absent. */
export interface ToolDetail extends ToolItem {
  /** JSON Schema. */
  readonly input_schema?: Readonly<Record<string, unknown>>;
  /** JSON Schema. */
  readonly output_schema?: Readonly<Record<string, unknown>>;
}

/** Answer to `POST /v1/tools/{name}/circuit`. */
export interface ToolCircuit {
  /** Name of the tool. */
  readonly name: string;
  /** The client whose circuit the command was for. Absent for a command for all. */
  readonly client?: string;
  /** The health of the tool after the command; of the client's own circuit, if there is a `client`. */
  readonly health: ToolHealth;
}
