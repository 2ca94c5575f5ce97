/** Owns the schema of `GET /v1/session`. */
import { z } from '@hono/zod-openapi';

export const sessionSchema: z.ZodType = z
  .object({
    can_act: z
      .boolean()
      .openapi({ description: 'Whether the caller may control circuits, silence and acknowledge alerts, and test receivers.' }),
    roles: z.array(z.enum(['call', 'read', 'operate'])).openapi({ description: 'What the caller may do.' }),
    needs_token: z.boolean().openapi({ description: 'Whether reading requires a token, too.' }),
    principal: z.string().optional().openapi({ description: 'Name of the token, never the token itself.' }),
    has_logins: z.boolean().optional().openapi({ description: 'Whether MCP servers here need logins of people.' }),
    version: z.string(),
  })
  .openapi('Session');
