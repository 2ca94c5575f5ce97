/** Owns the instruments: created from the table of metrics, and again if the application sets its meter provider later. */
import type { Attributes, Meter, MeterProvider } from '@opentelemetry/api';
import { createNoopMeter, metrics } from '@opentelemetry/api';
import type { MetricDefinition, MetricName } from '../semconv.ts';
import { metric, schemaUrl } from '../semconv.ts';
import { scope } from '../scope.ts';

type Recording = (value: number, attributes: Attributes) => void;

/** Metrics that events are counted in; the others are read when the SDK collects. */
export type Instruments = Readonly<Record<Exclude<MetricName, 'held'>, Recording>>;

/** How long each tool is held, in seconds, with its attributes. */
export type HoldReader = () => Iterable<readonly [seconds: number, attributes: Attributes]>;

/** Returns the instruments of the current provider; `undefined` while there is no SDK. */
export function instrumentsOf(own: MeterProvider | undefined, readHolds: HoldReader): () => Instruments | undefined {
  let provider: MeterProvider | undefined;
  let instruments: Instruments | undefined;
  return () => {
    const current = own ?? metrics.getMeterProvider();
    if (current === provider) return instruments;
    provider = current;
    const meter = current.getMeter(scope.name, scope.version, { schemaUrl });
    instruments = meter === createNoopMeter() ? undefined : makeAll(meter, readHolds);
    return instruments;
  };
}

function makeAll(meter: Meter, readHolds: HoldReader): Instruments {
  const { held, ...counted } = metric;
  meter.createObservableGauge(held.name, { unit: held.unit, description: held.description }).addCallback((result) => {
    for (const [seconds, attributes] of readHolds()) result.observe(seconds, attributes);
  });
  return Object.fromEntries(Object.entries(counted).map(([name, definition]) => [name, make(meter, definition)])) as Instruments;
}

function make(meter: Meter, { name, kind, unit, description, buckets }: MetricDefinition): Recording {
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
    default: {
      const counter = meter.createUpDownCounter(name, { unit, description });
      return (value, attributes) => counter.add(value, attributes);
    }
  }
}
