/** The entry `@holdfast/telemetry/prometheus`. */
export { createPrometheusHandler, openMetricsContentType, textContentType, type PrometheusHandlerOptions } from './handler.ts';
export { metricsText, type MetricsTextOptions } from './text.ts';
