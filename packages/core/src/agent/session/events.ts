/** Owns what a session keeps: the loop's own events (`../../engine/trace/events/agent.ts`), what tools and models answered, and events of the user's own. */
import type { AgentEventBody } from '../../engine/trace/events.ts';

/** A tool was asked, and answered. */
export interface ToolInvoked {
  /** Discriminates the union of session events. */
  readonly event_type: 'ToolInvoked';
  /** Id of the call. */
  readonly call_id: string;
  /** Name of the tool that was called. */
  readonly tool_id: string;
  /** Status of the result. */
  readonly status: 'success' | 'error' | 'timeout';
  /** As executed; a plain copy, cut to size. */
  readonly arguments?: unknown;
  /** A plain copy, cut to size. */
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
  /** The value that fits the schema; a plain copy, cut to size. */
  readonly output: unknown;
}

/** An event of your own. */
export interface CustomSessionEvent {
  /** Discriminates the union of session events. */
  readonly event_type: 'Custom';
  /** What the event is; chosen by the application. */
  readonly name: string;
  /** Data of the event; a plain copy, cut to size. */
  readonly payload?: unknown;
}

/** An event before it is stamped. */
export type SessionEventBody = AgentEventBody | ToolInvoked | StructuredOutputParsed | CustomSessionEvent;

/** What every event of a session carries. */
export interface SessionStamp {
  /** 1, 2, 3 … */
  readonly seq: number;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  /** Id of the session, the same in all its events. */
  readonly correlation_id: string;
}

/** An event of a session, with its stamp. */
export type SessionEvent = SessionEventBody & SessionStamp;
