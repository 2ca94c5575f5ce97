/** The entry `@holdfast/telemetry/opentelemetry`. */
export { openTelemetry, type OpenTelemetry, type TracedService } from './open-telemetry.ts';
export type { OpenTelemetryOptions } from './options.ts';
export type { ToolSpan } from './otel-sink.ts';
export type { Agent, ContentKind, ContentReader } from '../spans/options.ts';
export { traceMeta } from './trace-meta.ts';
