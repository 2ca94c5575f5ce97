/** Owns the events of a tool's circuit breaker. */

export interface CircuitBreakerOpened {
  readonly event_type: 'CircuitBreakerOpened';
  readonly tool_id: string;
  /** `Circuit breaker opened for flight_search` (docs/specification.md#s0-3-3, #s1-3-1). */
  readonly message: string;
  readonly reason: string;
  readonly failure_count: number;
  readonly open_for_ms?: number;
  /** The usual share of failures, 0 to 1; where failures in a row opened it and the share is learned. */
  readonly failure_share?: number;
  /** How many failures in a row the usual share required. */
  readonly needed_run?: number;
  readonly call_id?: string;
  /** With the reason `fleet`: why the fleet's circuit is open. */
  readonly fleet_cause?: string;
  /** With the reason `fleet`: the workers whose failures opened it. */
  readonly fleet_by?: readonly string[];
}

export interface CircuitBreakerHalfOpened {
  readonly event_type: 'CircuitBreakerHalfOpened';
  readonly tool_id: string;
  readonly message: string;
  readonly reason: string;
  readonly call_id?: string;
}

export interface CircuitBreakerClosed {
  readonly event_type: 'CircuitBreakerClosed';
  readonly tool_id: string;
  readonly message: string;
  readonly reason: string;
  readonly call_id?: string;
  /** With the reason `fleet`: why the fleet's circuit is closed. */
  readonly fleet_cause?: string;
  /** With the reason `fleet`: the worker whose probe, or operator, closed it. */
  readonly fleet_by?: readonly string[];
}
