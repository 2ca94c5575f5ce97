/** Owns the instrumentation scope of spans and metrics. */
export const scope = { name: '@holdfast/telemetry', version: '0.1.0' } as const;
