/** Owns what is attached to the service of each variant. */
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool, ToolExecutionService, type AnyTool } from '@holdfast/core';
import { createMetrics } from '@holdfast/core/metrics';
import { openTelemetry, type OpenTelemetryOptions } from '@holdfast/telemetry/opentelemetry';
import { context, trace, type Attributes, type Histogram } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, SimpleSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';

/** Calls one of the tools. */
export type Call = (toolName: string) => Promise<unknown>;

/** Receives spans as any exporter does, and drops them. */
const nowhere: SpanExporter = {
  export: (_spans, done) => done({ code: 0 }),
  shutdown: () => Promise.resolve(),
};

/** An SDK as applications set it up, with everything sampled. */
function sdk(): OpenTelemetryOptions {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  return {
    tracerProvider: new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(nowhere)] }),
    meterProvider: new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 })] }),
  };
}

const atOnce = async (): Promise<number> => 1;
const inOneMs = (): Promise<number> => sleep(1, 1);
const tools = [defineTool({ name: 'at once', run: atOnce }), defineTool({ name: 'in 1 ms', run: inOneMs })];

interface Attached {
  readonly metrics?: boolean;
  readonly telemetry?: () => OpenTelemetryOptions;
  readonly listener?: () => void;
}

function service({ metrics, telemetry, listener }: Attached): Call {
  const told = telemetry && openTelemetry(telemetry());
  const made = new ToolExecutionService<readonly AnyTool[]>({ tools, ...(told ? { middleware: [told.middleware] } : {}) });
  const fold = metrics ? createMetrics({ tools: tools.map(({ name }) => name) }) : undefined;
  if (fold) made.subscribe((event) => fold.observe(event));
  if (listener) made.subscribe(listener);
  told?.attach(made);
  return (toolName) => made.executeTool({ toolName, arguments: {} });
}

export const nothing = 'nothing attached';
export const both = 'metrics and OpenTelemetry, no SDK';

/** The least that an application would write around each call and each attempt. */
function byHand(): Call {
  const { tracerProvider, meterProvider } = sdk();
  const tracer = tracerProvider?.getTracer('by hand');
  const meter = meterProvider?.getMeter('by hand');
  if (!tracer || !meter) throw new Error('There is an SDK.');
  const calls = meter.createHistogram('call');
  const attempts = meter.createHistogram('attempt');
  const spanned = (name: string, attributes: Attributes, histogram: Histogram, run: () => Promise<unknown>) => (): Promise<unknown> => {
    const begin = performance.now();
    const span = tracer.startSpan(name, { attributes });
    return context.with(trace.setSpan(context.active(), span), run).finally(() => {
      span.setAttributes({ outcome: 'success', attempts: 1 });
      span.end();
      histogram.record(performance.now() - begin, { 'gen_ai.tool.name': name });
    });
  };
  const names = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'search', 'gen_ai.tool.call.id': 'call-1' };
  const wrapped = Object.entries({ 'at once': atOnce, 'in 1 ms': inOneMs }).map(([name, run]) =>
    defineTool({ name, run: spanned(`tool_attempt ${name}`, { 'holdfast.attempt.number': 1, 'holdfast.tool.name': name }, attempts, run) }),
  );
  const made = new ToolExecutionService<readonly AnyTool[]>({ tools: wrapped });
  return (toolName) => spanned(`execute_tool ${toolName}`, names, calls, () => made.executeTool({ toolName, arguments: {} }))();
}

export const variants: Readonly<Record<string, () => Call>> = {
  [nothing]: () => service({}),
  'a listener that does nothing': () => service({ listener: () => undefined }),
  metrics: () => service({ metrics: true }),
  'OpenTelemetry, no SDK': () => service({ telemetry: () => ({}) }),
  [both]: () => service({ metrics: true, telemetry: () => ({}) }),
  'OpenTelemetry, SDK 2.12': () => service({ telemetry: sdk }),
  'two spans and two durations by hand, SDK 2.12': byHand,
};
