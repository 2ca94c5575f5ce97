/**
 * Owns spans as OpenTelemetry's. Does not own when there is one (`../spans`).
 *
 * Invariants
 * 1. Times are the times of the events, never the SDK's clock.
 * 2. A span of the application gets attributes and events, and is never ended.
 */
import type { Context, HrTime, Link, Span, SpanOptions, Tracer } from '@opentelemetry/api';
import { context as contexts, isSpanContextValid, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { attribute, operation } from '../semconv.ts';
import type { Attributes, SpanBeginning, SpanFailure, SpanHandle, SpanSink } from '../spans/span-sink.ts';

/** A span, and the context in which it is active. */
export interface OtelSpan extends SpanHandle {
  readonly context: Context;
  readonly span: Span | undefined;
  /** Whether it was opened here, and so is ended here. */
  readonly own: boolean;
}

/** Whether a call gets an `execute_tool` span; see `OpenTelemetryOptions.toolSpan`. */
export type ToolSpan = 'auto' | 'create' | 'attach';

export class OtelSink implements SpanSink<OtelSpan> {
  readonly #tracer: () => Tracer | undefined;
  readonly #toolSpan: ToolSpan;

  constructor(tracer: () => Tracer | undefined, toolSpan: ToolSpan) {
    this.#tracer = tracer;
    this.#toolSpan = toolSpan;
  }

  get idle(): boolean {
    return this.#tracer() === undefined;
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
    if (this.#toolSpan === 'create' || !ambient.recording || !span) return undefined;
    const known = attributesOf(span);
    if (known && (attribute.turnId in known || attribute.attemptNumber in known)) return undefined;
    return this.#toolSpan === 'attach' || executes(known, toolName, callId) ? ambient : undefined;
  }

  begin({ name, startMs, attributes, links }: SpanBeginning<OtelSpan>, parent: OtelSpan): OtelSpan {
    const settings: SpanOptions = { kind: SpanKind.INTERNAL, startTime: hrTime(startMs), attributes: attributes as OtelAttributes };
    if (links.length > 0) settings.links = links.flatMap(linkTo);
    const span = this.#tracer()?.startSpan(name, settings, parent.context);
    if (!span) return parent;
    const recording = span.isRecording();
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

function linkTo({ to, kind }: SpanBeginning<OtelSpan>['links'][number]): Link[] {
  return to.span ? [{ context: to.span.spanContext(), attributes: { [attribute.linkKind]: kind } }] : [];
}

/** Seconds and nanoseconds: milliseconds as a number would be rounded, and small numbers taken for times of the performance clock. */
function hrTime(milliseconds: number): HrTime {
  const seconds = Math.floor(milliseconds / 1_000);
  const nanoseconds = Math.round((milliseconds - seconds * 1_000) * 1_000_000);
  return nanoseconds < 1_000_000_000 ? [seconds, nanoseconds] : [seconds + 1, 0];
}

type Known = Readonly<Record<string, unknown>> | undefined;

/** The spans of SDKs are readable, although the API has no method for it. */
function attributesOf(span: Span): Known {
  return (span as { readonly attributes?: Known }).attributes;
}

/** Whether a span is the `execute_tool` span of that call. */
function executes(known: Known, toolName: string, callId: string): boolean {
  if (known?.[attribute.operation] !== operation.executeTool || known[attribute.toolName] !== toolName) return false;
  const id = known[attribute.toolCallId];
  return id === undefined || id === callId;
}
