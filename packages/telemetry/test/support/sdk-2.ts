/** The older line of the SDK, with the API that the package is compiled against. */
import { context, metrics, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { FinishedSpan, Sdk } from './sdk.ts';
import { forgetApi, pointsOf } from './sdk.ts';

export function sdk2(): Sdk {
  const exporter = new InMemorySpanExporter();
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 2 ** 30 });
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const meterProvider = new MeterProvider({ readers: [reader] });
  return {
    name: 'SDK 2.12, API 1.9.1',
    tracerProvider,
    meterProvider,
    register() {
      context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
      trace.setGlobalTracerProvider(tracerProvider);
      metrics.setGlobalMeterProvider(meterProvider);
    },
    unregister() {
      context.disable();
      trace.disable();
      metrics.disable();
      forgetApi();
    },
    spans: () => exporter.getFinishedSpans() as unknown as readonly FinishedSpan[],
    async points() {
      const { resourceMetrics } = await reader.collect();
      return pointsOf(resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics));
    },
    reset: () => exporter.reset(),
  };
}
