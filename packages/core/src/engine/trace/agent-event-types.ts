import type { AgentEventBody } from './events/agent.ts';

/** Complete by its type. */
export const isAgentEvent: Readonly<Record<AgentEventBody['event_type'], true>> = {
  ArgumentsRepaired: true,
  ValidationRetryScheduled: true,
  ValidationRetryExhausted: true,
  ValidationRecovered: true,
  AgentCallRefused: true,
  AgentRunStopped: true,
  ReducerFailed: true,
  TranscriptRepaired: true,
  ResponseValidationFailed: true,
};

/** The types of the events that the loop between a model and its tools writes. */
export const agentEventTypes: readonly AgentEventBody['event_type'][] = Object.keys(isAgentEvent) as AgentEventBody['event_type'][];
