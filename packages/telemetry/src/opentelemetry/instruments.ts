/** Owns the instruments: created from the table of metrics, and again if the application sets its meter provider later. */
import type { Attributes, Meter, MeterProvider } from '@opentelemetry/api';
import { createNoopMeter, metrics } from '@opentelemetry/api';
import type { MetricDefinition, MetricName } from '../semconv.ts';
import { metric, schemaUrl } from '../semconv.ts';
import { scope } from '../scope.ts';

export type Instruments = Readonly<Record<MetricName, (value: number, attributes: Attributes) => void>>;

/** Returns the instruments of the current provider; `undefined` while there is no SDK. */
export function instrumentsOf(own: MeterProvider | undefined): () => Instruments | undefined {
  let provider: MeterProvider | undefined;
  let instruments: Instruments | undefined;
  return () => {
    const current = own ?? metrics.getMeterProvider();
    if (current === provider) return instruments;
    provider = current;
    const meter = current.getMeter(scope.name, scope.version, { schemaUrl });
    instruments = meter === createNoopMeter() ? undefined : makeAll(meter);
    return instruments;
  };
}

function makeAll(meter: Meter): Instruments {
  return Object.fromEntries(Object.entries(metric).map(([name, definition]) => [name, make(meter, definition)])) as Instruments;
}

function make(meter: Meter, { name, kind, unit, description, buckets }: MetricDefinition): Instruments[MetricName] {
  switch (kind) {
    case 'histogram': {
      const advice = { explicitBucketBoundaries: [...(buckets ?? [])] };
      const histogram = meter.createHistogram(name, { unit, description, advice });
      return (value, attributes) => histogram.record(value, attributes);
    }
    case 'counter': {
      const counter = meter.createCounter(name, { unit, description });
      return (value, attributes) => counter.add(value, attributes);
    }
    case 'up_down_counter': {
      const counter = meter.createUpDownCounter(name, { unit, description });
      return (value, attributes) => counter.add(value, attributes);
    }
  }
}
