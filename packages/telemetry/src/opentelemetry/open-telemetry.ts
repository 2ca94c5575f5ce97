/**
 * Owns putting a service and OpenTelemetry together: what listens to the trace, and what makes an attempt's span the active one while its runner runs.
 *
 * Invariants
 * 1. The API is the application's own copy, and the providers are whatever the application has set up, also later than this.
 * 2. Nothing that fails here, or in an SDK, reaches a call.
 * 3. Without `attach` the middleware changes nothing; without the middleware only the nesting of what a tool requests is lost.
 */
import type { AttemptContext, Middleware, TraceEvent, TraceListener } from '@holdfast/core';
import type { TraceContext } from '@holdfast/core/metrics';
import { context as contexts, diag, TraceFlags } from '@opentelemetry/api';
import { attribute } from '../semconv.ts';
import type { BegunAttempt } from '../spans/span-fold.ts';
import { SpanFold } from '../spans/span-fold.ts';
import { warnOfCopies } from './copies.ts';
import { instrumentsOf } from './instruments.ts';
import { MetricsFold } from './metrics-fold.ts';
import type { OpenTelemetryOptions } from './options.ts';
import { checkOptions, spanOptions } from './options.ts';
import type { OtelSpan } from './otel-sink.ts';
import { OtelSink } from './otel-sink.ts';
import { tracerOf } from './tracer.ts';

/** What is asked of a service. */
export interface TracedService {
  /** Calls the listener for each event from now on. Returns the function that ends this. */
  subscribe(listener: TraceListener): () => void;
  /** `undefined` for a tool that does not exist: names that models make up are one series of metrics. */
  getToolSettings?(toolName: string): unknown;
}

/** The connection between services and OpenTelemetry. */
export interface OpenTelemetry {
  /** Belongs in `around` of the service, first: the span of an attempt is active while its runner runs, so that what it requests hangs under it. */
  readonly middleware: Middleware;
  /** Tells the service's calls from now on. Answers the way to stop, which ends the spans that are open. Once for a service, however often it is asked. */
  attach(service: TracedService): () => void;
  /** The span that an event of an attached service is about, for the exemplars of `createMetrics({ traceContext })`. Only where it is sampled. */
  readonly traceContext: (event: TraceEvent) => TraceContext | undefined;
}

/** Spans and metrics of a service's calls. @throws TypeError | RangeError naming the option, its value and the fix. */
export function openTelemetry(options: OpenTelemetryOptions = {}): OpenTelemetry {
  checkOptions(options);
  const { tracerProvider, meterProvider, toolSpan = 'auto', metrics = true, agent } = options;
  const sink = new OtelSink(tracerOf(tracerProvider), toolSpan);
  const instruments = instrumentsOf(meterProvider);
  const attached = new Map<TracedService, { readonly told: Told; readonly detach: () => void }>();
  const all: Told[] = [];
  return {
    middleware: (next) => {
      const isMcp = next.kind === 'mcp';
      return (args, context) => {
        const span = all.some(isTelling) ? spanOf(all, context, isMcp) : undefined;
        return span ? contexts.with(span.context, next, undefined, args, context) : next(args, context);
      };
    },
    traceContext: (event) => contextOf(all, event),
    attach(service) {
      const known = attached.get(service);
      if (known) return known.detach;
      const isKnown = (name: string): boolean => !service.getToolSettings || service.getToolSettings(name) !== undefined;
      const counted = metrics ? new MetricsFold({ instruments, isKnown, agent }) : undefined;
      const told = new Told(sink, new SpanFold(sink, spanOptions(options)), counted);
      const unsubscribe = service.subscribe((event) => told.observe(event));
      const detach = (): void => {
        if (!attached.delete(service)) return;
        all.splice(all.indexOf(told), 1);
        unsubscribe();
        told.spans.abandon();
      };
      attached.set(service, { told, detach });
      all.push(told);
      return detach;
    },
  };
}

/** The folds of one service. */
class Told {
  readonly spans: SpanFold<OtelSpan>;
  readonly metrics: MetricsFold | undefined;
  readonly #sink: OtelSink;
  /** No SDK is there, and none was when what is under way began. */
  quiet = true;
  #lookedAt = '';
  #copiesChecked = false;

  constructor(sink: OtelSink, spans: SpanFold<OtelSpan>, metrics: MetricsFold | undefined) {
    this.#sink = sink;
    this.spans = spans;
    this.metrics = metrics;
  }

  observe(event: TraceEvent): void {
    try {
      const { event_type: type } = event;
      if (type === 'CallStarted' || type === 'TurnStarted' || (this.quiet && type.startsWith('CircuitBreaker'))) this.#listen(event);
      if (this.quiet) return;
      this.metrics?.observe(event);
      this.spans.observe(event);
    } catch (error) {
      diag.error(`@holdfast/telemetry: ${event.event_type} could not be told`, error);
    }
  }

  #listen({ timestamp }: TraceEvent): void {
    // An application sets its SDK up once: to look for it once in a millisecond is enough.
    if (timestamp === this.#lookedAt) return;
    this.#lookedAt = timestamp;
    const counted = this.metrics?.refresh() ?? false;
    this.quiet = !counted && this.#sink.idle && this.spans.size === 0;
    if (this.quiet && !this.#copiesChecked) this.#copiesChecked = warnOfCopies();
  }
}

const isTelling = ({ quiet }: Told): boolean => !quiet;

/** The span of the attempt that is about to run; `undefined` where there is none. */
function spanOf(all: readonly Told[], context: AttemptContext, isMcp: boolean): OtelSpan | undefined {
  try {
    const found = find(all, context);
    if (!found || !isMcp) return found?.span;
    found.told.metrics?.mcpTools.add(context.toolName);
    if (found.span.recording && found.span.own)
      found.span.span?.setAttributes({ [attribute.mcpMethod]: 'tools/call', [attribute.runner]: 'mcp' });
    return found.span;
  } catch (error) {
    diag.error('@holdfast/telemetry: an attempt runs without its span', error);
    return undefined;
  }
}

function contextOf(all: readonly Told[], event: TraceEvent): TraceContext | undefined {
  for (const { quiet, spans } of all) {
    const found = quiet ? undefined : spans.spanOf(event)?.span?.spanContext();
    if (found && (found.traceFlags & TraceFlags.SAMPLED) !== 0) return { trace_id: found.traceId, span_id: found.spanId };
  }
  return undefined;
}

interface Found {
  readonly told: Told;
  readonly span: OtelSpan;
}

function find(all: readonly Told[], context: AttemptContext): Found | undefined {
  for (const told of all) {
    if (told.quiet) continue;
    const { begun } = told.spans;
    if (!begun || !isOf(begun.event, context)) continue;
    told.spans.begun = undefined;
    return begun.span.tracked ? { told, span: begun.span } : undefined;
  }
  // A middleware further out took its time: another attempt has begun since.
  for (const told of all) {
    if (told.quiet) continue;
    const span = told.spans.attempt(context.turnId, context.callId, context.attempt);
    if (span) return { told, span };
  }
  return undefined;
}

/** Calls of a batch that have the same id are told apart in the trace: `id`, `id#2` … */
function isOf({ turn_id, attempt, tool_id, call_id }: BegunAttempt<OtelSpan>['event'], context: AttemptContext): boolean {
  if (turn_id !== context.turnId || attempt !== context.attempt || tool_id !== context.toolName) return false;
  return call_id === context.callId || call_id.startsWith(`${context.callId}#`);
}
