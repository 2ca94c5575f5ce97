/** The table of contents of `@holdfast/telemetry/opentelemetry`. */
export {};
