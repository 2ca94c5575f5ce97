/** Owns how spans are made of events: what a host may choose. */

export type ContentKind = 'arguments' | 'result';

/** What becomes of content on its way into a span: a string, or nothing. */
export type ContentReader = (value: unknown, about: { readonly kind: ContentKind; readonly toolName: string }) => string | undefined;

/** The agent whose invocations the turns are. */
export interface Agent {
  /** Name of the agent: `gen_ai.agent.name`. */
  readonly name: string;
  /** Id of the agent: `gen_ai.agent.id`. @default not recorded */
  readonly id?: string | undefined;
  /** Version of the agent: `gen_ai.agent.version`. @default not recorded */
  readonly version?: string | undefined;
  /** Who makes its model, as OpenTelemetry names providers: `openai`, `anthropic` … */
  readonly provider?: string | undefined;
}

export interface SpanOptions {
  /** Whether a turn has a span of its own; `auto`: where no other span is active. */
  readonly turnSpan: 'auto' | 'always' | 'never';
  readonly attemptSpans: 'always' | 'never';
  readonly agent: Agent | undefined;
  readonly content: ContentReader | undefined;
  /** When turns began, where times are not to be those of the wall clock. Milliseconds. */
  readonly originMs?: number | undefined;
}
