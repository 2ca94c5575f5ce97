/** Owns the typed form of `telemetry`: where spans are sent. Defaults are filled in. */
import type { TextOrSecret } from '@holdfast/runners';

/** A collector of OpenTelemetry. */
export interface OtlpEntry {
  /** Its address for OTLP over HTTP, such as `http://127.0.0.1:4318`. */
  readonly url: string;
  /** Sent with each request to it. @default {} */
  readonly headers: Readonly<Record<string, TextOrSecret>>;
}

/** The section `telemetry`: what is exported by `holdfast serve` and `holdfast worker`. */
export interface TelemetryEntry {
  /** Where spans are sent. @default the collector of the OTEL_EXPORTER_OTLP_ variables, if they are set */
  readonly otlp?: OtlpEntry;
}

export function telemetryEntry(given: unknown): TelemetryEntry {
  const { otlp } = (given ?? {}) as { readonly otlp?: Pick<OtlpEntry, 'url'> & Partial<OtlpEntry> };
  return otlp ? { otlp: { headers: {}, ...otlp } } : {};
}
