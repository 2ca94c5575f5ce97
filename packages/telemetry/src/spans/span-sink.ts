/** Owns the port between the fold of events and its spans: those of an OpenTelemetry SDK, or plain records for a file. */

/** An array of one type, as in OpenTelemetry. */
export type AttributeValue = string | number | boolean | readonly string[];
export type Attributes = Readonly<Record<string, AttributeValue>>;

export type SpanRole = 'turn' | 'call' | 'alternative' | 'attempt';

/** The properties of a new span. */
export interface SpanBeginning<Handle> {
  readonly role: SpanRole;
  readonly name: string;
  /** Milliseconds since 1970, unless the fold has another origin. */
  readonly startMs: number;
  readonly attributes: Attributes;
  /** The spans that caused it or that it waited for. */
  readonly links: readonly SpanLink<Handle>[];
}

export interface SpanLink<Handle> {
  readonly to: Handle;
  readonly kind: 'depends_on' | 'alternative_of';
}

/** Why a span is an error. */
export interface SpanFailure {
  readonly errorType: string;
  readonly message: string;
}

export interface SpanHandle {
  /** Whether it is recorded: no attributes are created for one that is not. */
  readonly recording: boolean;
  /** Whether the fold must keep it: it is recorded, or its context must be propagated. */
  readonly tracked: boolean;
}

export interface SpanSink<Handle extends SpanHandle> {
  /** Whether no span would be recorded now. */
  readonly idle: boolean;
  /** The active span of the calling code. */
  ambient(): Handle;
  /** Whether there is a span. */
  hasSpan(ambient: Handle): boolean;
  /** The span at `ambient` if a framework opened it for that call; `undefined` if one must be created. */
  adopt(ambient: Handle, toolName: string, callId: string): Handle | undefined;
  begin(span: SpanBeginning<Handle>, parent: Handle): Handle;
  event(span: Handle, name: string, atMs: number, attributes: Attributes): void;
  set(span: Handle, attributes: Attributes): void;
  rename(span: Handle, name: string): void;
  /** Without a failure the span is no error. */
  end(span: Handle, atMs: number, failure: SpanFailure | undefined): void;
}
