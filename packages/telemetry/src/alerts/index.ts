/** The table of contents of `@holdfast/telemetry/alerts`. */
export {};
