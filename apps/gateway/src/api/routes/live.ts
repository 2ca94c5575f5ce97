/** Owns `GET /v1/live`: changes of state as they happen. */
import { z } from '@hono/zod-openapi';
import { notNow, type Refusal, refuse } from '../problem.ts';
import { liveHeaders, liveQuery } from '../schemas/live.ts';
import { formatFor } from '../streams/format.ts';
import { liveStream } from '../streams/live-stream.ts';
import { draining } from '../turns/api-turns.ts';
import { notAcceptable } from './events.ts';
import type { RouteParts } from './parts.ts';
import { type ApiContext, type ApiRoute, parameters, refusals, readValid } from './route.ts';

export function liveRoutes(parts: RouteParts): readonly ApiRoute[] {
  const sent = z.string().openapi({
    description:
      'Server-sent events: `event: change`, `id` the cursor, `data` a `LiveMessage`. `event: resume` tells the client to connect again.',
  });
  return [
    {
      config: {
        method: 'get',
        path: '/v1/live',
        operationId: 'followAll',
        tags: ['operation'],
        summary: 'Follow tools, turns, alerts and changes',
        description: [
          'Sends only the latest state of each item, at most ten messages a second. A client that reconnects late gets one message with the current state.',
          '`reset`: the cursor is from another process or too old, and the message contains everything.',
        ].join(' '),
        request: { query: parameters(liveQuery), headers: parameters(liveHeaders) },
        responses: {
          200: { description: 'The stream of messages.', content: { 'text/event-stream': { schema: sent } } },
          ...refusals(400, 406, 429, 503),
        },
      },
      needs: 'read',
      answer: (context) => follow(context, parts),
    },
  ];
}

function follow(context: ApiContext, { streams, live, redact, isAccepting }: RouteParts): Response {
  if (live === undefined) return refuse(notNow(503, 'NO_HISTORY', 'This gateway keeps no history'), redact);
  const { after = '' } = readValid(context, 'query', liveQuery);
  // A client that reconnects sends the header in addition to its first query.
  const from = readValid(context, 'header', liveHeaders)['last-event-id'] ?? after;
  const format = formatFor(context.req.header('accept') ?? null);
  if (format?.heartbeat === undefined) return refuse(onlyEvents, redact);
  if (!isAccepting()) return refuse(draining, redact);
  const { principal } = context.env.caller;
  const full = streams.refusalIfFull(principal);
  if (full) return refuse(full, redact);
  const headers = { 'content-type': format.contentType, 'cache-control': 'no-store', 'x-accel-buffering': 'no' };
  if (context.req.raw.method === 'HEAD') return new Response(null, { headers });
  return new Response(
    streams.open((start) => liveStream({ hub: live, after: from, ...start }), { release: () => undefined, principal }),
    { headers },
  );
}

const onlyEvents: Refusal = { ...notAcceptable, error: { ...notAcceptable.error, allowed: 'text/event-stream' } };
