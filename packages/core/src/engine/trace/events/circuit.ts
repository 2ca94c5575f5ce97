/** Owns the events of a tool's circuit breaker. */

/** The circuit refuses calls until its open period is over. */
export interface CircuitBreakerOpened {
  /** Discriminates the union of trace events. */
  readonly event_type: 'CircuitBreakerOpened';
  /** Name of the tool that the circuit belongs to. */
  readonly tool_id: string;
  /** The partition of calls that the circuit belongs to; absent for the tool's own circuit. */
  readonly partition?: string;
  /** `Circuit breaker opened for flight_search` (docs/specification.md#s0-3-3, #s1-3-1). */
  readonly message: string;
  /** Why the circuit opened: a `TransitionReason`. */
  readonly reason: string;
  /** Consecutive transient failures when the circuit opened. */
  readonly failure_count: number;
  /** How long the circuit stays open; absent when an operator opened it. */
  readonly open_for_ms?: number;
  /** Id of the call that changed the circuit, by its outcome or its admission; absent for an operator and for the fleet. */
  readonly call_id?: string;
  /** With the reason `fleet`: why the fleet's circuit is open. */
  readonly fleet_cause?: string;
  /** With the reason `fleet`: the workers whose failures opened it. */
  readonly fleet_by?: readonly string[];
}

/** The open period is over: probes may test whether the tool is back. */
export interface CircuitBreakerHalfOpened {
  /** Discriminates the union of trace events. */
  readonly event_type: 'CircuitBreakerHalfOpened';
  /** Name of the tool that the circuit belongs to. */
  readonly tool_id: string;
  /** The partition of calls that the circuit belongs to; absent for the tool's own circuit. */
  readonly partition?: string;
  /** `Circuit breaker half-opened for flight_search`. */
  readonly message: string;
  /** Why the circuit half-opened: a `TransitionReason`. */
  readonly reason: string;
  /** Id of the call that changed the circuit, by its outcome or its admission; absent for an operator and for the fleet. */
  readonly call_id?: string;
}

/** The circuit admits all calls again. */
export interface CircuitBreakerClosed {
  /** Discriminates the union of trace events. */
  readonly event_type: 'CircuitBreakerClosed';
  /** Name of the tool that the circuit belongs to. */
  readonly tool_id: string;
  /** The partition of calls that the circuit belongs to; absent for the tool's own circuit. */
  readonly partition?: string;
  /** `Circuit breaker closed for flight_search`. */
  readonly message: string;
  /** Why the circuit closed: a `TransitionReason`. */
  readonly reason: string;
  /** Id of the call that changed the circuit, by its outcome or its admission; absent for an operator and for the fleet. */
  readonly call_id?: string;
  /** With the reason `fleet`: why the fleet's circuit is closed. */
  readonly fleet_cause?: string;
  /** With the reason `fleet`: the worker whose probe, or operator, closed it. */
  readonly fleet_by?: readonly string[];
}
