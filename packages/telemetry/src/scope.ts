/** Owns who the spans and metrics say that made them. */
export const scope = { name: '@holdfast/telemetry', version: '0.1.0' } as const;
