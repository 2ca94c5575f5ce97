/** Owns the parameters of an export. */
import { z } from '@hono/zod-openapi';
import { wholeNumber } from './parameters.ts';

const exportFormats = ['otlp', 'chrome', 'ndjson'] as const;

export type ExportFormat = (typeof exportFormats)[number];

const mostRun = Number.MAX_SAFE_INTEGER;

export const exportQuery: z.ZodType<{ readonly format: ExportFormat; readonly run?: number | undefined }> = z.strictObject({
  format: z.enum(exportFormats).openapi({
    description:
      '`otlp`: spans as OpenTelemetry sends them in JSON; `chrome`: for Perfetto and `chrome://tracing`; `ndjson`: the events of the trace, one a line.',
  }),
  run: wholeNumber(1, mostRun).optional().openapi({ description: 'Which run of the turn id; the latest when left out.' }),
});
