/** Owns the parameters of the live stream. */
import { z } from '@hono/zod-openapi';

const cursor = z.string().max(200);

export const liveQuery: z.ZodType<{ readonly after?: string | undefined }> = z.strictObject({
  after: cursor.optional().openapi({
    description: 'The `cursor` of an overview or of a message. The first message contains the changes since then; by default, everything.',
  }),
});

export const liveHeaders: z.ZodType<{ readonly 'last-event-id'?: string | undefined }> = z.object({
  'last-event-id': cursor.optional().openapi({ description: 'Id of the last message that the client received. Overrides `after`.' }),
});
