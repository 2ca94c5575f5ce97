/** Owns the options of `openTelemetry` and their checks. */
import { checkOptions, refuse, withMethods, type Fields } from '@holdfast/core/internal/plain';
import type { MeterProvider, TracerProvider } from '@opentelemetry/api';
import type { Agent, ContentReader, SpanOptions } from '../spans/options.ts';
import type { ToolSpan } from './otel-sink.ts';

/** Which spans and metrics are recorded, and by which providers. */
export interface OpenTelemetryOptions {
  /**
   * Whether a call gets an `execute_tool` span. `create`: always. `attach`: a single call uses the active span instead, and its attributes and events are
   * added to it. `auto`: uses the active span only if it is the `execute_tool` span of that tool, such as one of the AI SDK.
   * @default 'auto'
   */
  readonly toolSpan?: ToolSpan | undefined;
  /** Whether a turn or batch gets a span; `auto`: if no other span is active. A single call never gets one. @default 'auto' */
  readonly turnSpan?: 'auto' | 'always' | 'never' | undefined;
  /** Whether attempts get spans. Without them, the spans of a tool's requests are children of its call. @default 'always' */
  readonly attemptSpans?: 'always' | 'never' | undefined;
  /** A turn is one invocation of this agent: its span is `invoke_agent {name}`, and its metrics are recorded. @default none: the span is `holdfast.turn` */
  readonly agent?: Agent | undefined;
  /**
   * Arguments and results on spans, as far as the service captures them (`capture`); redacted and truncated as there. A function returns the text to record, or
   * `undefined` for none.
   * @default false
   */
  readonly content?: boolean | ContentReader | undefined;
  /** Returns the conversation (session, thread) of a turn or a single call: `gen_ai.conversation.id`. Called while it begins. @default not recorded */
  readonly conversationId?: ((turnId: string) => string | undefined) | undefined;
  /** @default true */
  readonly metrics?: boolean | undefined;
  /** @default the provider that the application sets */
  readonly tracerProvider?: TracerProvider | undefined;
  /** @default the provider that the application sets */
  readonly meterProvider?: MeterProvider | undefined;
}

const optionFields: Fields = {
  toolSpan: ['auto', 'create', 'attach'],
  turnSpan: ['auto', 'always', 'never'],
  attemptSpans: ['always', 'never'],
  agent: (value, field) => {
    checkOptions({ name: 'string', version: 'string', provider: 'string' }, value, field, ['name']);
    if ((value as Agent).name === '') refuse(`${field}.name`, '', "a name such as 'travel-agent'");
  },
  content: (value, field) => {
    if (typeof value !== 'boolean' && typeof value !== 'function') refuse(field, value, 'true, false or a function', '');
  },
  conversationId: 'function',
  metrics: 'boolean',
  tracerProvider: withMethods('getTracer'),
  meterProvider: withMethods('getMeter'),
};

/** @throws TypeError | RangeError naming the field, its value and the fix. */
export function checkTelemetryOptions(options: OpenTelemetryOptions): void {
  checkOptions(optionFields, options, 'openTelemetry');
}

export function spanOptions({
  turnSpan = 'auto',
  attemptSpans = 'always',
  agent,
  content,
  conversationId,
}: OpenTelemetryOptions): SpanOptions {
  return { turnSpan, attemptSpans, agent, content: readerOf(content), conversationId };
}

function readerOf(content: OpenTelemetryOptions['content']): ContentReader | undefined {
  if (typeof content !== 'function') return content ? asJson : undefined;
  return (value, about) => {
    try {
      return content(value, about);
    } catch {
      return undefined;
    }
  };
}

const asJson: ContentReader = (value) => (typeof value === 'string' ? value : JSON.stringify(value));
