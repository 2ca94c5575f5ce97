/** Owns the schema of a single call. */
import { z } from '@hono/zod-openapi';
import { policyReference } from './json-schemas.ts';

export interface CallRequest {
  readonly tool_id: string;
  readonly arguments?: unknown;
  readonly call_id?: string | undefined;
  readonly idempotency_key?: string | undefined;
  readonly policy?: Readonly<Record<string, unknown>> | undefined;
  readonly timeout_ms?: number | undefined;
}

const longestTimer = 2_147_483_647;

const callObject = z.strictObject({
  tool_id: z.string().min(1).max(512).openapi({ description: "The tool's name." }),
  arguments: z.unknown().optional().openapi({ description: 'What the tool takes; `{}` when left out.' }),
  call_id: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .openapi({ description: 'Given back in the result, and the id in the trace. A new one when left out.' }),
  idempotency_key: z.string().min(1).max(255).optional().openapi({ description: 'What the tool sees as its idempotency key.' }),
  policy: z
    .record(z.string(), z.unknown())
    .optional()
    .openapi({ type: 'object', allOf: [policyReference], description: "Settings of this call; they go before the tool's." }),
  timeout_ms: z
    .number()
    .positive()
    .max(longestTimer)
    .optional()
    .openapi({ description: 'All of the call may take this long, retries included.' }),
});

export const callRequest: z.ZodType<CallRequest> = callObject.openapi('CallRequest');
