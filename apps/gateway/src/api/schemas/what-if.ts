/** Owns the schemas of `POST /v1/turns/{turn_id}/what-if`. */
import { z } from '@hono/zod-openapi';
import { policyReference } from './json-schemas.ts';
import { wholeNumber } from './parameters.ts';
import { turnEvent } from './turns.ts';

const policy = (description: string): z.ZodType =>
  z
    .record(z.string(), z.unknown())
    .optional()
    .openapi({ type: 'object', allOf: [policyReference], description });

export const whatIfRequest: z.ZodType = z
  .strictObject({
    policy: policy('Over the recorded settings of every tool.'),
    tools: z
      .record(z.string(), z.unknown())
      .optional()
      .openapi({ type: 'object', additionalProperties: policyReference, description: 'By tool, over its recorded settings.' }),
    turn: z
      .record(z.string(), z.unknown())
      .optional()
      .openapi({ description: 'Over those of the turn: `timeout_ms`, `concurrency`, `on_deadline`, `max_retries`.' }),
  })
  .openapi('WhatIfRequest');

const side = z
  .object({
    outcome: z.string().openapi({ description: "A turn's outcome, or `interrupted`." }),
    duration_ms: z.number(),
    attempts: z.int(),
    retries: z.int(),
    calls_succeeded: z.int(),
    calls_failed: z.int(),
  })
  .openapi('WhatIfSide');

const range = z
  .object({ low: z.number(), high: z.number() })
  .openapi('WhatIfRange', { description: 'Both ends included; the same where nothing depends on what is unknown.' });

const ranges = z
  .object({
    observed_share: z.number().openapi({ description: 'Share of the calls whose figures depend on nothing unknown.' }),
    whole: range,
    duration_ms: range
      .optional()
      .openapi({ description: 'Absent where nothing bounds it: neither the turn nor an attempt has a time limit.' }),
    attempts: range,
    retries: range,
    calls_succeeded: range,
    calls_failed: range,
  })
  .openapi('WhatIfRanges', {
    description:
      'Between what the truth lies: attempts made at another moment than recorded count as unknown, and so do gates that depend on them. `whole` is 1 where the turn succeeds as a whole. Absent where the recorded turn was interrupted.',
  });

const told = z.object({ action: z.string(), reason: z.string() });

export const whatIfAnswer: z.ZodType = z
  .object({
    turn_id: z.string(),
    recorded: side,
    replayed: side.openapi({ description: 'If each attempt that was never made goes like the last one seen of its tool.' }),
    bounds: z
      .object({ worst: side, best: side })
      .openapi({ description: 'If every attempt that nobody knows of fails, and if every one succeeds.' }),
    ranges: ranges.optional(),
    unknown_attempts: z.int().openapi({ description: 'Attempts that no record tells about.' }),
    assumptions: z.array(z.string()).openapi({ description: 'What had to be assumed, in sentences.' }),
    differences: z.array(
      z
        .object({
          where: z.string(),
          call_id: z.string(),
          tool_id: z.string().optional(),
          recorded: told.optional(),
          replayed: told.optional(),
        })
        .openapi('WhatIfDifference'),
    ),
    events: z.array(turnEvent).openapi({ description: 'Of the replayed turn.' }),
  })
  .openapi('WhatIfAnswer');

const mostRun = Number.MAX_SAFE_INTEGER;

export const whichRun: z.ZodType<{ readonly run?: number | undefined }> = z.strictObject({
  run: wholeNumber(1, mostRun).optional().openapi({ description: 'Which run of the turn id; the latest when left out.' }),
});
