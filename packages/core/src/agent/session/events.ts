/** Owns the types of session events: those of the loop (`../../engine/trace/events/agent.ts`), answers of tools and models, and custom events. */
import type { AgentEventBody } from '../../engine/trace/events.ts';

/** A call was answered. */
export interface ToolInvoked {
  /** Discriminates the union of session events. */
  readonly event_type: 'ToolInvoked';
  /** Id of the call. */
  readonly call_id: string;
  /** Name of the tool that was called. */
  readonly tool_id: string;
  /** Status of the result. */
  readonly status: 'success' | 'error' | 'timeout';
  /** The arguments as executed; a plain copy, truncated if too large. */
  readonly arguments?: unknown;
  /** The output; a plain copy, truncated if too large. */
  readonly output?: unknown;
  /** Error code; absent on success. */
  readonly code?: string;
  /** The error's message; absent on success. */
  readonly error?: string;
}

/** A structured output was read. */
export interface StructuredOutputParsed {
  /** Discriminates the union of session events. */
  readonly event_type: 'StructuredOutputParsed';
  /** The valid value; a plain copy, truncated if too large. */
  readonly output: unknown;
}

/** An event of the application. */
export interface CustomSessionEvent {
  /** Discriminates the union of session events. */
  readonly event_type: 'Custom';
  /** Name of the event; chosen by the application. */
  readonly name: string;
  /** Data of the event; a plain copy, truncated if too large. */
  readonly payload?: unknown;
}

/** An event before it is stamped. */
export type SessionEventBody = AgentEventBody | ToolInvoked | StructuredOutputParsed | CustomSessionEvent;

/** Fields of every session event. */
export interface SessionStamp {
  /** Position of the event in the session: 1, 2, 3 … */
  readonly seq: number;
  /** When it was appended. ISO 8601, UTC. */
  readonly timestamp: string;
  /** Id of the session, the same in all its events. */
  readonly correlation_id: string;
}

/** An event of a session, with its stamp. */
export type SessionEvent = SessionEventBody & SessionStamp;
