/** The table of contents of `@holdfast/telemetry/prometheus`. */
export {};
