/**
 * Owns the connection of a service to OpenTelemetry: the trace listener, and the middleware that makes an attempt's span active while its runner runs.
 *
 * Invariants
 * 1. The API is the application's copy, and the providers are the ones that the application sets, also if it sets them later.
 * 2. An error here or in an SDK never reaches a call.
 * 3. Without `attach` the middleware does nothing. Without the middleware only the nesting of a tool's requests is lost.
 */
import type { AttemptContext, Middleware, TraceEvent, TraceListener } from '@holdfast/core';
import type { TraceContext } from '@holdfast/core/metrics';
import { context as contexts, diag, TraceFlags } from '@opentelemetry/api';
import { attribute } from '../semconv.ts';
import { descriptionsOf } from '../spans/descriptions.ts';
import { isAttemptOf, SpanFold } from '../spans/span-fold.ts';
import { warnOfNewerApiCopy } from './api-copy-warning.ts';
import { instrumentsOf, type HoldReader } from './instruments.ts';
import { MetricsFold } from './metrics-fold.ts';
import type { OpenTelemetryOptions } from './options.ts';
import { checkTelemetryOptions, spanOptions } from './options.ts';
import type { OtelSpan } from './otel-sink.ts';
import { OtelSink } from './otel-sink.ts';
import { tracerOf } from './tracer.ts';

/** The part of a service that is used. */
export interface TracedService {
  /** Calls the listener for each event from now on. Returns a function that stops it. */
  subscribe(listener: TraceListener): () => void;
  /** `undefined` for a tool that does not exist: invented names share one series of metrics. */
  getToolSettings?(toolName: string): unknown;
  /** The tools whose holds are measured. @default none */
  readonly tools?: readonly { readonly name: string; readonly description?: string | undefined }[];
  /** How long a server's Retry-After holds the calls of a tool; `undefined` for a tool that does not exist. */
  getToolHealth?(toolName: string): { readonly heldMs?: number | undefined } | undefined;
}

/** The connection between services and OpenTelemetry. */
export interface OpenTelemetry {
  /** The first entry of the service's `around`: the span of an attempt is active while its runner runs, so it is the parent of the spans of its requests. */
  readonly middleware: Middleware;
  /** Records the service's calls from now on. Returns a function that stops it and ends the open spans. A second call for the same service has no effect. */
  attach(service: TracedService): () => void;
  /** The span of an event of an attached service, for the exemplars of `createMetrics({ traceContext })`. Only if it is sampled. */
  readonly traceContext: (event: TraceEvent) => TraceContext | undefined;
}

/** Spans and metrics of a service's calls. @throws TypeError | RangeError naming the option, its value and the fix. */
export function openTelemetry(options: OpenTelemetryOptions = {}): OpenTelemetry {
  checkTelemetryOptions(options);
  const { tracerProvider, meterProvider, toolSpan = 'auto', metrics = true, agent } = options;
  const sink = new OtelSink(tracerOf(tracerProvider), toolSpan);
  const attached = new Map<TracedService, { readonly recorder: ServiceRecorder; readonly detach: () => void }>();
  /** Every tool that was ever measured: an SDK repeats the last value of a series that is no longer observed. */
  const measured = new Set<string>();
  const instruments = instrumentsOf(meterProvider, () => holdsOf(attached.keys(), measured));
  const all: ServiceRecorder[] = [];
  return {
    middleware: (next) => {
      const isMcp = next.kind === 'mcp';
      return (args, context) => {
        const span = all.some(isRecording) ? spanOf(all, context, isMcp) : undefined;
        return span ? contexts.with(span.context, next, undefined, args, context) : next(args, context);
      };
    },
    traceContext: (event) => contextOf(all, event),
    attach(service) {
      const known = attached.get(service);
      if (known) return known.detach;
      const isKnown = (name: string): boolean => !service.getToolSettings || service.getToolSettings(name) !== undefined;
      const counted = metrics ? new MetricsFold({ instruments, isKnown, agent }) : undefined;
      const recorder = new ServiceRecorder(
        sink,
        new SpanFold(sink, { ...spanOptions(options), describe: descriptionsOf(service) }),
        counted,
      );
      const unsubscribe = service.subscribe((event) => recorder.observe(event));
      const detach = (): void => {
        if (!attached.delete(service)) return;
        all.splice(all.indexOf(recorder), 1);
        unsubscribe();
        recorder.spans.abandon();
      };
      attached.set(service, { recorder, detach });
      all.push(recorder);
      return detach;
    },
  };
}

/** Services that have a tool of the same name share its series: the longest hold counts. */
function holdsOf(services: Iterable<TracedService>, measured: Set<string>): ReturnType<HoldReader> {
  const longest = new Map<string, number>(Array.from(measured, (name) => [name, 0]));
  for (const service of services)
    for (const { name } of service.tools ?? []) {
      const { heldMs = 0 } = service.getToolHealth?.(name) ?? {};
      longest.set(name, Math.max(longest.get(name) ?? 0, heldMs));
      measured.add(name);
    }
  return Array.from(longest, ([name, heldMs]) => [heldMs / 1_000, { [attribute.toolName]: name }] as const);
}

/** The folds of one service. */
class ServiceRecorder {
  readonly spans: SpanFold<OtelSpan>;
  readonly metrics: MetricsFold | undefined;
  readonly #sink: OtelSink;
  /** There is no SDK, and there was none when the open turns began. */
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
      diag.error(`@holdfast/telemetry: ${event.event_type} could not be recorded`, error);
    }
  }

  #listen({ timestamp }: TraceEvent): void {
    // An application sets up its SDK once: checking once per millisecond is enough.
    if (timestamp === this.#lookedAt) return;
    this.#lookedAt = timestamp;
    const counted = this.metrics?.refresh() ?? false;
    this.quiet = !counted && this.#sink.idle && this.spans.size === 0;
    if (this.quiet && !this.#copiesChecked) this.#copiesChecked = warnOfNewerApiCopy();
  }
}

const isRecording = ({ quiet }: ServiceRecorder): boolean => !quiet;

/** The span of the attempt that is about to run; `undefined` if there is none. */
function spanOf(all: readonly ServiceRecorder[], context: AttemptContext, isMcp: boolean): OtelSpan | undefined {
  try {
    const found = find(all, context);
    if (!found || !isMcp) return found?.span;
    found.recorder.metrics?.mcpTools.add(context.toolName);
    if (found.span.recording && found.span.own)
      found.span.span?.setAttributes({ [attribute.mcpMethod]: 'tools/call', [attribute.runner]: 'mcp' });
    return found.span;
  } catch (error) {
    diag.error('@holdfast/telemetry: an attempt runs without its span', error);
    return undefined;
  }
}

function contextOf(all: readonly ServiceRecorder[], event: TraceEvent): TraceContext | undefined {
  for (const { quiet, spans } of all) {
    const found = quiet ? undefined : spans.spanOf(event)?.span?.spanContext();
    if (found && (found.traceFlags & TraceFlags.SAMPLED) !== 0) return { trace_id: found.traceId, span_id: found.spanId };
  }
  return undefined;
}

interface Found {
  readonly recorder: ServiceRecorder;
  readonly span: OtelSpan;
}

function find(all: readonly ServiceRecorder[], context: AttemptContext): Found | undefined {
  for (const recorder of all) {
    if (recorder.quiet) continue;
    const { begun } = recorder.spans;
    if (!begun || !isAttemptOf(begun.event, context)) continue;
    recorder.spans.begun = undefined;
    return begun.span.tracked ? { recorder, span: begun.span } : undefined;
  }
  // An outer middleware has delayed it: another attempt has begun since.
  for (const recorder of all) {
    if (recorder.quiet) continue;
    const span = recorder.spans.attempt(context.turnId, context.callId, context.attempt);
    if (span) return { recorder, span };
  }
  return undefined;
}
