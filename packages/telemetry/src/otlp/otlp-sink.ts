/** Owns spans as OTLP, handed on when they end. A child of a span that is not sampled is not recorded, but its context is passed on. */
import { attribute } from '../semconv.ts';
import { keyValues, type OtlpSpan } from '../export/otlp-json.ts';
import type { Attributes, SpanBeginning, SpanFailure, SpanHandle, SpanSink } from '../spans/span-sink.ts';
import { type ActiveSpan, activeSpan, childOf } from './trace-context.ts';

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** A span of this process, or the one that is active where it begins. */
export interface OtlpHandle extends SpanHandle {
  readonly context: ActiveSpan | undefined;
  readonly span: Writable<OtlpSpan> | undefined;
}

export class OtlpSink implements SpanSink<OtlpHandle> {
  readonly idle = false;
  readonly #onEnd: (span: OtlpSpan) => void;

  constructor(onEnd: (span: OtlpSpan) => void) {
    this.#onEnd = onEnd;
  }

  ambient(): OtlpHandle {
    const context = activeSpan();
    return { context, span: undefined, recording: false, tracked: context !== undefined };
  }

  hasSpan({ context }: OtlpHandle): boolean {
    return context !== undefined;
  }

  adopt(): undefined {
    return undefined;
  }

  begin({ name, startMs, attributes, links }: SpanBeginning<OtlpHandle>, parent: OtlpHandle): OtlpHandle {
    const context = childOf(parent.context);
    if (!context.sampled) return { context, span: undefined, recording: false, tracked: true };
    const { traceId, spanId, state } = context;
    const span: OtlpSpan = {
      traceId,
      spanId,
      ...(state === undefined ? {} : { traceState: state }),
      ...(parent.context === undefined ? {} : { parentSpanId: parent.context.spanId }),
      flags: 1,
      name,
      kind: 1,
      startTimeUnixNano: nanoseconds(startMs),
      endTimeUnixNano: nanoseconds(startMs),
      attributes: keyValues(attributes),
      events: [],
      links: links.flatMap(({ to, kind }) =>
        to.context === undefined
          ? []
          : [{ traceId: to.context.traceId, spanId: to.context.spanId, attributes: keyValues({ [attribute.linkKind]: kind }) }],
      ),
      status: { code: 0 },
    };
    return { context, span, recording: true, tracked: true };
  }

  event({ span }: OtlpHandle, name: string, atMs: number, attributes: Attributes): void {
    if (span) span.events = [...span.events, { timeUnixNano: nanoseconds(atMs), name, attributes: keyValues(attributes) }];
  }

  set({ span }: OtlpHandle, attributes: Attributes): void {
    if (!span) return;
    const added = keyValues(attributes);
    span.attributes = [...span.attributes.filter(({ key }) => !(key in attributes)), ...added];
  }

  rename({ span }: OtlpHandle, name: string): void {
    if (span) span.name = name;
  }

  end(handle: OtlpHandle, atMs: number, failure: SpanFailure | undefined): void {
    const { span } = handle;
    if (!span) return;
    if (failure) {
      this.set(handle, { [attribute.errorType]: failure.errorType });
      span.status = { code: 2, message: failure.message };
    }
    span.endTimeUnixNano = nanoseconds(atMs);
    this.#onEnd(span);
  }
}

/** As text: a number would not be exact. */
const nanoseconds = (epochMs: number): string => String(BigInt(Math.round(epochMs * 1_000)) * 1_000n);
