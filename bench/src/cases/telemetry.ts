import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool, ToolExecutionService, type AnyTool } from '@holdfast/core';
import { createMetrics } from '@holdfast/core/metrics';
import { openTelemetry, type OpenTelemetry } from '@holdfast/telemetry/opentelemetry';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, SimpleSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import { holdfastRace, type Heat } from './holdfast-race.ts';
import type { Case } from './case.ts';

const off = 'nothing attached';
const folds = 'metrics and OpenTelemetry, no SDK';

type Service = ToolExecutionService<readonly AnyTool[]>;

/** Takes spans as any exporter, and keeps none: what an exporter does with them is not measured here. */
const nowhere: SpanExporter = {
  export: (_spans, done) => done({ code: 0 }),
  shutdown: () => Promise.resolve(),
};

/** An SDK as applications set it up, with everything sampled. */
function sdk(): Parameters<typeof openTelemetry>[0] {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  return {
    tracerProvider: new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(nowhere)] }),
    meterProvider: new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 })] }),
  };
}

function service(tools: readonly AnyTool[], telemetry: OpenTelemetry | undefined, metrics: boolean): Service {
  const made = new ToolExecutionService<readonly AnyTool[]>({ tools, ...(telemetry ? { around: [telemetry.policy] } : {}) });
  const fold = metrics ? createMetrics({ tools: tools.map(({ name }) => name) }) : undefined;
  if (fold) made.subscribe((event) => fold.observe(event));
  telemetry?.attach(made);
  return made;
}

export const telemetry: Case = {
  ...holdfastRace({
    name: 'telemetry',
    title: 'What telemetry costs',
    what:
      'The same call with nothing attached, with the metrics of `@holdfast/core/metrics`, with `openTelemetry()` while the application has no SDK, with both, and ' +
      'with both under an SDK 2.12 that samples everything: a context manager, two spans for each call handed to an exporter that drops them, and aggregated metrics. ' +
      'The last figure is mostly the SDK’s own.',
    inspected() {
      const made = service([defineTool({ name: 'bare', run: async () => 1 })], openTelemetry(sdk()), true);
      return { call: () => made.executeTool({ toolName: 'bare', arguments: {} }) };
    },
    heats: () => {
      const tools = [defineTool({ name: 'bare', run: async () => 1 }), defineTool({ name: 'waiting', run: () => sleep(1, 1) })];
      const services: readonly (readonly [string, Service])[] = [
        [off, service(tools, undefined, false)],
        ['metrics', service(tools, undefined, true)],
        ['OpenTelemetry, no SDK', service(tools, openTelemetry(), false)],
        [folds, service(tools, openTelemetry(), true)],
        ['metrics and OpenTelemetry, SDK 2.12', service(tools, openTelemetry(sdk()), true)],
      ];
      const heat = (title: string, toolName: string, atMost: number): Heat => ({
        title,
        reference: off,
        entrants: services.map(([name, one]) => ({ name, call: () => one.executeTool({ toolName, arguments: {} }) })),
        targets: [{ of: folds, to: off, atMost, wanted: `${title}: without an SDK ≤ ${atMost} × nothing attached` }],
      });
      return Promise.resolve({ heats: [heat('the tool is `async () => 1`', 'bare', 1.15), heat('the tool waits 1 ms', 'waiting', 1.15)] });
    },
  }),
  page: 'TELEMETRY.md',
};
