/** The entry `@holdfast/telemetry/export`. */
export { toOtlpJson, type OtlpKeyValue, type OtlpSpan, type OtlpTraces, type OtlpValue } from './otlp-json.ts';
export { toChromeTrace, type ChromeEvent, type ChromeTrace } from './chrome-trace.ts';
export type { ExportOptions } from './options.ts';
