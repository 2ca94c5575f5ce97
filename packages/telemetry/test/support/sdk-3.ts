/** The newer line of the SDK, with the newer API; the library keeps the one it is installed with. */
import {
  AggregationTemporality,
  AsyncLocalStorageContextManager,
  context,
  InMemoryMetricExporter,
  InMemorySpanExporter,
  MeterProvider,
  metrics,
  PeriodicExportingMetricReader,
  SimpleSpanProcessor,
  trace,
  TracerProvider,
} from '../../../../tools/opentelemetry-3/sdk.ts';
import type { FinishedSpan, Sdk } from './sdk.ts';
import { forgetApi, pointsOf } from './sdk.ts';

export function sdk3(): Sdk {
  const exporter = new InMemorySpanExporter();
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 2 ** 30 });
  const tracerProvider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const meterProvider = new MeterProvider({ readers: [reader] });
  return {
    name: 'SDK 3.1, API 1.10.0',
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
