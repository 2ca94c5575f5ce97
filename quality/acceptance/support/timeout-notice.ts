import type { DecisionFacts, FailureNotice } from '@holdfast/core';

/** What the Error Handler is told of a first attempt of flight_search that timed out, with other facts where they are given. */
export function timeoutNotice(facts: Partial<DecisionFacts> = {}): FailureNotice {
  return {
    turnId: 'turn-7',
    callId: 'flights',
    toolName: 'flight_search',
    attempt: 1,
    code: 'TOOL_TIMEOUT',
    message: 'Tool timeout after 30s',
    facts: {
      turn_id: 'turn-7',
      tool_id: 'flight_search',
      classification: 'transient',
      category: 'timeout',
      rule: 'tool timeout',
      failure: 'timeout',
      ambiguous: true,
      circuit_breaker_state: 'closed',
      probe: false,
      attempts: 1,
      max_attempts: 5,
      retry_count: 0,
      next_delay_ms: 100,
      retry_elapsed_ms: 0,
      max_total_time_ms: 2_000,
      alternatives: [],
      partial_available: false,
      accept_partial: false,
      fallback_available: false,
      optional: false,
      ...facts,
    },
  };
}
