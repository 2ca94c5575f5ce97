/** Owns the schema of what a caller may do. */
import { z } from '@hono/zod-openapi';

export const sessionSchema: z.ZodType = z
  .object({
    can_act: z.boolean().openapi({ description: 'Circuits, silences, acknowledgements, tests of receivers.' }),
    needs_token: z.boolean().openapi({ description: 'A token is needed to read, too.' }),
    principal: z.string().optional().openapi({ description: 'The name of the token, never the token.' }),
    version: z.string(),
  })
  .openapi('Session');
