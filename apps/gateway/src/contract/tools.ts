/** Owns the shapes of tools, their health, numbers and circuits. Types only. */

export type CircuitState = 'closed' | 'open' | 'half_open';
export type CircuitMode = 'auto' | 'forced_open' | 'disabled' | 'shadow';
export type CircuitCommand = 'open' | 'close' | 'disable' | 'shadow' | 'reset' | 'auto';

export interface ToolHealth {
  /** `null`: the tool has no circuit breaker. */
  readonly circuit: CircuitState | null;
  readonly mode: CircuitMode;
  readonly failure_count: number;
  readonly retry_after_ms?: number;
  readonly in_flight: number;
  readonly orphaned: number;
  readonly queued: number;
  readonly retry_budget_left?: number;
}

export interface ToolMetrics {
  readonly total_executions: number;
  readonly success_count: number;
  readonly execution_error_count: number;
  readonly execution_timeout_count: number;
  readonly cancelled_count: number;
  readonly avg_execution_time_ms: number;
  readonly failure_rate: number;
  /** Failed attempts, also on behalf of another tool; the three above count calls. */
  readonly error_count: number;
  readonly transient_error_count: number;
  readonly permanent_error_count: number;
  readonly retry_count: number;
  readonly retry_success_rate: number;
  readonly circuit_breaker_opens: number;
  readonly timeout_count: number;
  readonly refused_count: number;
}

/** Where a tool comes from. */
export type ToolSource =
  | { readonly kind: 'tool' }
  | { readonly kind: 'mcp'; readonly server: string; readonly tool: string }
  | { readonly kind: 'openapi'; readonly api: string; readonly operation: string };

export interface ToolItem {
  readonly name: string;
  readonly description?: string;
  readonly source: ToolSource;
  /** Its upstream does not answer: this is the last that was known of it. */
  readonly degraded: boolean;
  readonly health: ToolHealth;
  readonly metrics: ToolMetrics;
  /** As in a manifest, all layers merged; `null` stands for no limit. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface ToolPage {
  readonly tools: readonly ToolItem[];
  readonly next_cursor?: string;
}

export interface ToolDetail extends ToolItem {
  /** JSON Schema. */
  readonly input_schema?: Readonly<Record<string, unknown>>;
  /** JSON Schema. */
  readonly output_schema?: Readonly<Record<string, unknown>>;
}

export interface ToolCircuit {
  readonly name: string;
  readonly health: ToolHealth;
}
