/** Owns the schemas of the routes about the gateway itself. */
import { z } from '@hono/zod-openapi';

const state = z.enum(['idle', 'connecting', 'up', 'down', 'closed']);

export const healthSchema: z.ZodType = z.object({ status: z.literal('ok') }).openapi('Health');

export const readinessSchema: z.ZodType = z
  .object({
    ready: z.boolean(),
    draining: z.boolean(),
    store: z
      .object({
        ok: z.boolean(),
        dropped: z.int().openapi({ description: 'Events that could not be stored.' }),
        problem: z.string().optional(),
      })
      .optional()
      .openapi({ description: 'Absent without a store.' }),
    upstreams: z.array(
      z.object({ name: z.string(), state, login_required: z.literal(true).optional(), logins_missing: z.int().optional() }),
    ),
    problems: z.array(z.string()).openapi({ description: 'Why it is not ready.' }),
    degraded: z.array(z.string()).openapi({ description: 'What is out of order although it is ready.' }),
  })
  .openapi('Readiness');

export const upstreamList: z.ZodType = z
  .object({
    upstreams: z.array(
      z
        .object({
          name: z.string(),
          state,
          pid: z.int().optional(),
          protocol_version: z.string().optional(),
          server_name: z.string().optional(),
          server_version: z.string().optional(),
          restarts: z.int(),
          failures: z.int().openapi({ description: 'Consecutive failures.' }),
          last_error: z.string().optional(),
          login_required: z.string().optional().openapi({ description: 'Why a login to the server is needed, and how to log in.' }),
          logins_missing: z
            .array(z.string())
            .optional()
            .openapi({ description: 'Clients without a login of their own at the server. Absent when there are none.' }),
          tools_withheld: z
            .int()
            .optional()
            .openapi({ description: 'Tools that are not offered, because the lock file blocks them. Absent when there are none.' }),
          retry_after_ms: z.number().optional().openapi({ description: 'Time until the next attempt to connect, while `down`.' }),
          stderr_tail: z.string().optional().openapi({ description: 'The last lines of its standard error.' }),
        })
        .openapi('Upstream'),
    ),
  })
  .openapi('UpstreamList');

/** The OpenAPI document. */
export const documentSchema: z.ZodType = z
  .looseObject({ openapi: z.string(), info: z.looseObject({}), paths: z.looseObject({}) })
  .openapi('OpenapiDocument');
