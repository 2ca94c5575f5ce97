/**
 * Owns what spans are in OpenTelemetry. Does not own when there is one (`../spans`).
 *
 * Invariants
 * 1. Times are those of the events, never the SDK's clock.
 * 2. A span that somebody else opened is added to, and never ended.
 */
import type { Context, HrTime, Span, Tracer } from '@opentelemetry/api';
import { context as contexts, isSpanContextValid, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { attribute, operation } from '../semconv.ts';
import type { Attributes, SpanBeginning, SpanFailure, SpanHandle, SpanSink } from '../spans/span-sink.ts';

/** A place in a trace: a span, and the context in which it is the active one. */
export interface OtelSpan extends SpanHandle {
  readonly context: Context;
  readonly span: Span | undefined;
  /** Opened here, and so ended here. */
  readonly own: boolean;
}

export type ToolSpan = 'auto' | 'create' | 'attach';

export class OtelSink implements SpanSink<OtelSpan> {
  readonly #tracer: () => Tracer;
  readonly #toolSpan: ToolSpan;
  readonly #ours = new WeakSet<Span>();

  constructor(tracer: () => Tracer, toolSpan: ToolSpan) {
    this.#tracer = tracer;
    this.#toolSpan = toolSpan;
  }

  ambient(): OtelSpan {
    const context = contexts.active();
    const span = trace.getSpan(context);
    return { context, span, own: false, recording: span?.isRecording() ?? false, tracked: span !== undefined };
  }

  hasSpan({ span }: OtelSpan): boolean {
    return span !== undefined && isSpanContextValid(span.spanContext());
  }

  adopt(ambient: OtelSpan, toolName: string, callId: string): OtelSpan | undefined {
    const { span } = ambient;
    if (this.#toolSpan === 'create' || !ambient.recording || !span || this.#ours.has(span)) return undefined;
    return this.#toolSpan === 'attach' || executes(span, toolName, callId) ? ambient : undefined;
  }

  begin({ name, startMs, attributes, links }: SpanBeginning<OtelSpan>, parent: OtelSpan): OtelSpan {
    const span = this.#tracer().startSpan(
      name,
      { kind: SpanKind.INTERNAL, startTime: hrTime(startMs), attributes: attributes as OtelAttributes, links: links.flatMap(linkTo) },
      parent.context,
    );
    const recording = span.isRecording();
    if (recording) this.#ours.add(span);
    const tracked = recording || isSpanContextValid(span.spanContext());
    return { span, context: tracked ? trace.setSpan(parent.context, span) : parent.context, own: true, recording, tracked };
  }

  event({ span }: OtelSpan, name: string, atMs: number, attributes: Attributes): void {
    span?.addEvent(name, attributes as OtelAttributes, hrTime(atMs));
  }

  set({ span }: OtelSpan, attributes: Attributes): void {
    span?.setAttributes(attributes as OtelAttributes);
  }

  rename({ span, own }: OtelSpan, name: string): void {
    if (own) span?.updateName(name);
  }

  end({ span, own, recording }: OtelSpan, atMs: number, failure: SpanFailure | undefined): void {
    if (!span || !recording) return;
    if (failure) {
      span.setAttribute(attribute.errorType, failure.errorType);
      span.setStatus({ code: SpanStatusCode.ERROR, message: failure.message });
    }
    if (own) span.end(hrTime(atMs));
  }
}

type OtelAttributes = Record<string, string | number | boolean | string[]>;

function linkTo({
  to,
  kind,
}: SpanBeginning<OtelSpan>['links'][number]): { context: ReturnType<Span['spanContext']>; attributes: Record<string, string> }[] {
  return to.span ? [{ context: to.span.spanContext(), attributes: { [attribute.linkKind]: kind } }] : [];
}

/** Seconds and nanoseconds: a plain number of milliseconds would be rounded, and small ones taken for another clock's. */
export function hrTime(milliseconds: number): HrTime {
  const seconds = Math.floor(milliseconds / 1_000);
  const nanoseconds = Math.round((milliseconds - seconds * 1_000) * 1_000_000);
  return nanoseconds < 1_000_000_000 ? [seconds, nanoseconds] : [seconds + 1, 0];
}

/** Whether a span says itself that it is the execution of that call. SDKs let their spans be read; the API has no way to ask. */
function executes(span: Span, toolName: string, callId: string): boolean {
  const { attributes } = span as { readonly attributes?: Readonly<Record<string, unknown>> };
  if (attributes?.[attribute.operation] !== operation.executeTool || attributes[attribute.toolName] !== toolName) return false;
  const id = attributes[attribute.toolCallId];
  return id === undefined || id === callId;
}
