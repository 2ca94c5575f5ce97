/**
 * Owns tracing without an OpenTelemetry SDK, for programs of their own such as the gateway: the spans of a service's calls are children of the client's span, and are
 * sent to a collector; requests of tools are children of their attempt.
 *
 * Invariants
 * 1. Without a collector no span is recorded, and the client's context is passed on unchanged.
 * 2. An error here never reaches a call.
 */
import type { AttemptContext, Middleware, TraceEvent } from '@holdfast/core';
import { checkOptions, mapOf, refuse } from '@holdfast/core/internal/plain';
import { keyValues } from '../export/otlp-json.ts';
import type { TracedService } from '../opentelemetry/open-telemetry.ts';
import { descriptionsOf } from '../spans/descriptions.ts';
import { isAttemptOf, SpanFold } from '../spans/span-fold.ts';
import { OtlpExporter } from './exporter.ts';
import { type OtlpHandle, OtlpSink } from './otlp-sink.ts';
import {
  type ActiveSpan,
  activeSpan,
  readTraceContext,
  type TraceCarrier,
  traceHeaders,
  withActiveSpan,
  withConversation,
  activeConversation,
} from './trace-context.ts';

/** Where spans are sent, and what describes their process. */
export interface OtlpTracingOptions {
  /** The collector's address for traces, such as `http://127.0.0.1:4318/v1/traces`. @default none: spans are not recorded */
  readonly url?: string | undefined;
  /** Sent with each request. @default none */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Attributes of the process, such as `service.name`. @default service.name: 'holdfast' */
  readonly resource?: Readonly<Record<string, string>> | undefined;
  /** Called with a sentence when spans are dropped; once per outage. @default none */
  readonly onFault?: ((text: string) => void) | undefined;
}

/** The tracing of one process. */
export interface OtlpTracing {
  /** Runs the work as a part of the client's trace. `carrier`: headers, or the `_meta` of an MCP request. Without `traceparent` in it, no trace is entered. */
  readonly enter: <Result>(carrier: TraceCarrier, work: () => Result, conversationId?: string) => Result;
  /** The first of the service's `middleware`: requests of an attempt belong to its span. */
  readonly middleware: Middleware;
  /** `traceparent` and `tracestate` for a request that is sent now; empty outside of a trace. */
  readonly headers: () => Readonly<Record<string, string>>;
  /** Records the service's calls. Returns a function that stops it and ends the open spans. */
  readonly attach: (service: Pick<TracedService, 'subscribe' | 'tools'>) => () => void;
  /** Number of spans that could not be sent. */
  readonly dropped: () => number;
  /** Sends what waits. Never rejects. */
  readonly flush: () => Promise<void>;
}

/** Records the calls of services as spans, and sends them to a collector. @throws TypeError naming the option, its value and the fix. */
export function otlpTracing(options: OtlpTracingOptions = {}): OtlpTracing {
  checkOptions(
    {
      url: urlRule,
      headers: mapOf('string', 'an object of strings'),
      resource: mapOf('string', 'an object of strings'),
      onFault: 'function',
    },
    options,
    'otlpTracing',
  );
  const { url, headers = {}, resource = {}, onFault = (): void => undefined } = options;
  const exporter =
    url === undefined
      ? undefined
      : new OtlpExporter({ url, headers, resource: keyValues({ 'service.name': 'holdfast', ...resource }), onFault });
  const folds = new Set<SpanFold<OtlpHandle>>();
  return {
    enter: (carrier, work, conversationId) => {
      const client = readTraceContext(carrier);
      const inTrace = client ? (): ReturnType<typeof work> => withActiveSpan(client, work) : work;
      return conversationId === undefined ? inTrace() : withConversation(conversationId, inTrace);
    },
    middleware: (next) => (args, context) => {
      const span = attemptSpan(folds, context);
      return span ? withActiveSpan(span, () => next(args, context)) : next(args, context);
    },
    headers: () => {
      const span = activeSpan();
      return span ? traceHeaders(span) : {};
    },
    attach: (service) => (exporter ? record(service, exporter, folds) : (): void => undefined),
    dropped: () => exporter?.dropped ?? 0,
    flush: async () => exporter?.flush(),
  };
}

function record(service: Pick<TracedService, 'subscribe' | 'tools'>, exporter: OtlpExporter, folds: Set<SpanFold<OtlpHandle>>): () => void {
  const sink = new OtlpSink((span) => exporter.add(span));
  const fold = new SpanFold(sink, {
    turnSpan: 'always',
    attemptSpans: 'always',
    agent: undefined,
    content: undefined,
    describe: descriptionsOf(service),
    conversationId: activeConversation,
  });
  const unsubscribe = service.subscribe((event: TraceEvent) => fold.observe(event));
  folds.add(fold);
  return () => {
    unsubscribe();
    folds.delete(fold);
    fold.abandon();
  };
}

/** The span of the attempt that is about to run. */
function attemptSpan(folds: Iterable<SpanFold<OtlpHandle>>, context: AttemptContext): ActiveSpan | undefined {
  for (const fold of folds) {
    const { begun } = fold;
    const span = begun && isAttemptOf(begun.event, context) ? begun.span : fold.attempt(context.turnId, context.callId, context.attempt);
    if (span?.context) return span.context;
  }
  return undefined;
}

function urlRule(value: unknown, field: string): void {
  if (typeof value !== 'string' || !/^https?:\/\//.test(value))
    refuse(field, value, 'an HTTP address such as http://127.0.0.1:4318/v1/traces', 'string');
}
