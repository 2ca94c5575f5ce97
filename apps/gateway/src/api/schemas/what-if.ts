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
    policy: policy('Overrides the recorded settings of every tool.'),
    tools: z
      .record(z.string(), z.unknown())
      .optional()
      .openapi({ type: 'object', additionalProperties: policyReference, description: 'By tool: overrides its recorded settings.' }),
    turn: z
      .record(z.string(), z.unknown())
      .optional()
      .openapi({ description: 'Overrides settings of the turn: `timeout_ms`, `concurrency`, `on_deadline`, `max_retries`.' }),
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
    calls_skipped: z.int().openapi({ description: 'Calls that were not run. Not included in `calls_failed`.' }),
  })
  .openapi('WhatIfSide');

const range = z
  .object({ low: z.number(), high: z.number() })
  .openapi('WhatIfRange', { description: 'Both ends are included. They are equal if nothing unknown affects the figure.' });

const ranges = z
  .object({
    observed_share: z.number().openapi({ description: 'Share of the calls whose figures are not affected by unknown results.' }),
    whole: range,
    duration_ms: range
      .optional()
      .openapi({ description: 'Absent without an upper bound: neither the turn nor an attempt has a time limit.' }),
    attempts: range,
    retries: range,
    calls_succeeded: range,
    calls_failed: range,
    calls_skipped: range,
  })
  .openapi('WhatIfRanges', {
    description:
      'Limits of each figure. Attempts at another moment than recorded count as unknown, and so do the gates that depend on them. `whole` is 1 if the whole turn succeeds. Absent if the recorded turn was interrupted.',
  });

const decision = z.object({ action: z.string(), reason: z.string() });

export const whatIfAnswer: z.ZodType = z
  .object({
    turn_id: z.string(),
    recorded: side,
    unchanged: side.openapi({ description: 'The turn replayed under its own settings: compare with this.' }),
    replayed: side.openapi({ description: 'The turn if each unrecorded attempt ends like the last recorded one of its tool.' }),
    bounds: z.object({ worst: side, best: side }).openapi({ description: 'The turn if all unrecorded attempts fail, and if all succeed.' }),
    ranges: ranges.optional(),
    unknown_attempts: z.int().openapi({ description: 'Number of unrecorded attempts.' }),
    assumptions: z.array(z.string()).openapi({ description: 'What was assumed, as sentences.' }),
    differences: z.array(
      z
        .object({
          where: z.string(),
          call_id: z.string(),
          tool_id: z.string().optional(),
          recorded: decision.optional(),
          replayed: decision.optional(),
        })
        .openapi('WhatIfDifference'),
    ),
    events: z.array(turnEvent).openapi({ description: 'Events of the replayed turn.' }),
  })
  .openapi('WhatIfAnswer');

const maxRun = Number.MAX_SAFE_INTEGER;

export const whatIfQuery: z.ZodType<{ readonly run?: number | undefined }> = z.strictObject({
  run: wholeNumber(1, maxRun)
    .optional()
    .openapi({ description: 'Which run, if the turn id was used more than once. Default: the latest.' }),
});
