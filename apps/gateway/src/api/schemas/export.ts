/** Owns the parameters of an export. */
import { z } from '@hono/zod-openapi';
import { wholeNumber } from './parameters.ts';

const exportFormats = ['otlp', 'chrome', 'ndjson'] as const;

export type ExportFormat = (typeof exportFormats)[number];

const maxRun = Number.MAX_SAFE_INTEGER;

export const exportQuery: z.ZodType<{ readonly format: ExportFormat; readonly run?: number | undefined }> = z.strictObject({
  format: z.enum(exportFormats).openapi({
    description:
      '`otlp`: spans in the JSON format of OpenTelemetry. `chrome`: for Perfetto and `chrome://tracing`. `ndjson`: the events of the trace, one per line.',
  }),
  run: wholeNumber(1, maxRun)
    .optional()
    .openapi({ description: 'Which run, if the turn id was used more than once. Default: the latest.' }),
});
