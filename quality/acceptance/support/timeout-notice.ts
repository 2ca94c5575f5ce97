import type { DecisionFacts, FailureNotice } from '@holdfast/core';

/** The Error Handler's notice of a first attempt of flight_search that timed out, with other facts if given. */
export function timeoutNotice(facts: Partial<DecisionFacts> = {}): FailureNotice {
  return {
    turnId: 'turn-7',
    callId: 'flights',
    toolName: 'flight_search',
    attempt: 1,
    code: 'TOOL_TIMEOUT',
    message: 'Tool timeout after 30s',
    facts: {
      turnId: 'turn-7',
      toolName: 'flight_search',
      classification: 'transient',
      category: 'timeout',
      rule: 'tool timeout',
      failure: 'timeout',
      ambiguous: true,
      circuit: 'closed',
      probe: false,
      attempts: 1,
      maxAttempts: 5,
      retryCount: 0,
      nextDelayMs: 100,
      retryElapsedMs: 0,
      maxTotalTimeMs: 2_000,
      alternatives: [],
      partialAvailable: false,
      acceptPartial: false,
      fallbackAvailable: false,
      optional: false,
      ...facts,
    },
  };
}
