/** The table of contents of `@holdfast/telemetry/export`. */
export {};
