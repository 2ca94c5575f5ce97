/** Owns what a session keeps: the loop's own events (`../../engine/trace/events/agent.ts`), what tools and models answered, and events of the user's own. */
import type { AgentEventBody } from '../../engine/trace/events.ts';

/** A tool was asked, and answered. */
export interface ToolInvoked {
  readonly event_type: 'ToolInvoked';
  readonly call_id: string;
  readonly tool_id: string;
  readonly status: 'success' | 'error' | 'timeout';
  /** As executed; a plain copy, cut to size. */
  readonly arguments?: unknown;
  /** A plain copy, cut to size. */
  readonly output?: unknown;
  readonly code?: string;
  readonly error?: string;
}

/** A structured output was read. */
export interface StructuredOutputParsed {
  readonly event_type: 'StructuredOutputParsed';
  readonly output: unknown;
}

/** An event of your own. */
export interface CustomSessionEvent {
  readonly event_type: 'Custom';
  readonly name: string;
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
  readonly correlation_id: string;
}

export type SessionEvent = SessionEventBody & SessionStamp;
