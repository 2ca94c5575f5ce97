/** Owns the port between the fold of events and what becomes of its spans: those of an OpenTelemetry SDK, or plain records for a file. */

/** A plain array of one kind, as OpenTelemetry has them. */
export type AttributeValue = string | number | boolean | readonly string[];
export type Attributes = Readonly<Record<string, AttributeValue>>;

export type SpanRole = 'turn' | 'call' | 'alternative' | 'attempt';

/** What a span is made with. */
export interface SpanBeginning<Handle> {
  readonly role: SpanRole;
  readonly name: string;
  /** Milliseconds since 1970, unless the fold has an origin of its own. */
  readonly startMs: number;
  readonly attributes: Attributes;
  /** What it is because of, or waits for. */
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
  /** Whether anybody keeps what is reported about it: nothing is made up for one that is not kept. */
  readonly recording: boolean;
  /** Whether it is worth being remembered: it is kept, or must be handed on to others. */
  readonly tracked: boolean;
}

export interface SpanSink<Handle extends SpanHandle> {
  /** Nobody would keep a span now. */
  readonly idle: boolean;
  /** Where the code that made the call is, at this moment. */
  ambient(): Handle;
  /** Whether a span stands there. */
  hasSpan(ambient: Handle): boolean;
  /** The span at `ambient`, where it is that call's own, opened by a framework; `undefined` where one has to be made. */
  adopt(ambient: Handle, toolName: string, callId: string): Handle | undefined;
  begin(span: SpanBeginning<Handle>, parent: Handle): Handle;
  event(span: Handle, name: string, atMs: number, attributes: Attributes): void;
  set(span: Handle, attributes: Attributes): void;
  rename(span: Handle, name: string): void;
  /** Without a failure it was none, whatever happened on the way. */
  end(span: Handle, atMs: number, failure: SpanFailure | undefined): void;
}
