/** Owns the options of spans. */

/** What a span may carry of a call: its arguments or its result. */
export type ContentKind = 'arguments' | 'result';

/** Converts content for a span: to a string, or to `undefined` to leave it out. */
export type ContentReader = (value: unknown, about: { readonly kind: ContentKind; readonly toolName: string }) => string | undefined;

/** The agent whose invocations the turns are. */
export interface Agent {
  /** Name of the agent: `gen_ai.agent.name`. */
  readonly name: string;
  /** Version of the agent: `gen_ai.agent.version`. @default not recorded */
  readonly version?: string | undefined;
  /** Provider of its model, as OpenTelemetry names it: `openai`, `anthropic` … */
  readonly provider?: string | undefined;
}

export interface SpanOptions {
  /** Whether a turn has a span; `auto`: if no other span is active. */
  readonly turnSpan: 'auto' | 'always' | 'never';
  readonly attemptSpans: 'always' | 'never';
  readonly agent: Agent | undefined;
  readonly content: ContentReader | undefined;
  /** Returns the description of a tool. @default none is recorded */
  readonly describe?: ((toolName: string) => string | undefined) | undefined;
  /** Returns the conversation that a turn or a single call belongs to. @default none is recorded */
  readonly conversationId?: ((turnId: string) => string | undefined) | undefined;
  /** The begin of turns, if times should not be those of the wall clock. Milliseconds. */
  readonly originMs?: number | undefined;
}
