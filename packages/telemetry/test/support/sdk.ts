/** What the tests need of an SDK, for any version. */
import type { MeterProvider, TracerProvider } from '@opentelemetry/api';

export interface FinishedSpan {
  readonly name: string;
  readonly kind: number;
  readonly startTime: readonly [number, number];
  readonly endTime: readonly [number, number];
  readonly status: { readonly code: number; readonly message?: string };
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly {
    readonly name: string;
    readonly time: readonly [number, number];
    readonly attributes?: Readonly<Record<string, unknown>>;
  }[];
  readonly links: readonly { readonly context: { readonly spanId: string }; readonly attributes?: Readonly<Record<string, unknown>> }[];
  readonly parentSpanContext?: { readonly spanId: string };
  readonly instrumentationScope: { readonly name: string; readonly version?: string };
  spanContext(): { readonly traceId: string; readonly spanId: string };
}

export interface Point {
  readonly name: string;
  readonly unit: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Of a counter: its sum. Of a histogram: its content. */
  readonly value: number | { readonly count: number; readonly sum: number; readonly boundaries: readonly number[] };
}

export interface Sdk {
  readonly name: string;
  readonly tracerProvider: TracerProvider;
  readonly meterProvider: MeterProvider;
  /** Registers these providers, and a context manager, for the application. */
  register(): void;
  unregister(): void;
  /** In the order of their ends. */
  spans(): readonly FinishedSpan[];
  points(): Promise<readonly Point[]>;
  reset(): void;
}

/**
 * Unregisters the copy of the API that came first: the other version of the SDK, in another file of this process, registers through its own copy,
 * which the slot of an older one would refuse.
 */
export function forgetApi(): void {
  Reflect.deleteProperty(globalThis, Symbol.for('opentelemetry.js.api.1'));
}

interface DataPoint {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly value: unknown;
}

export interface MetricData {
  readonly descriptor: { readonly name: string; readonly unit: string };
  readonly dataPoints: readonly DataPoint[];
}

export function pointsOf(metrics: readonly MetricData[]): readonly Point[] {
  return metrics.flatMap(({ descriptor: { name, unit }, dataPoints }) =>
    dataPoints.map(({ attributes, value }) => {
      if (typeof value === 'number') return { name, unit, attributes, value };
      const { count, sum = 0, buckets } = value as { count: number; sum?: number; buckets: { boundaries: number[] } };
      return { name, unit, attributes, value: { count, sum, boundaries: buckets.boundaries } };
    }),
  );
}
