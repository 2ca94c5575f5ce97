/** The entry `@holdfast/telemetry/otlp`: spans to a collector without an OpenTelemetry SDK. */
export { otlpTracing, type OtlpTracing, type OtlpTracingOptions } from './otlp-tracing.ts';
export type { TraceCarrier } from './trace-context.ts';
