/** Owns `GET /v1/turns/{turn_id}/events`: a turn's events as they happen. */
import { findTurn } from '../turns/find-turn.ts';
import { seenTurnId } from '../may-act.ts';
import { type Refusal, refuse } from '../problem.ts';
import { streamHeaders, streamQuery, turnEvent, turnParams } from '../schemas/turns.ts';
import { eventStream } from '../streams/event-stream.ts';
import { formatFor, jsonLines, type StreamFormat } from '../streams/format.ts';
import { TurnLog } from '../turns/turn-log.ts';
import type { Following } from '../turns/turn-logs.ts';
import { z } from '@hono/zod-openapi';
import type { RouteParts } from './parts.ts';
import { type ApiContext, type ApiRoute, parameters, refusals, readValid } from './route.ts';
import { unknownTurn, unreadable } from './turns.ts';

export function eventRoutes(parts: RouteParts): readonly ApiRoute[] {
  const sent = z.string().openapi({
    description:
      'Server-sent events: `id` is the `seq`, `data` the event. `event: end` comes last. `event: resume` tells the client to connect again.',
  });
  return [
    {
      config: {
        method: 'get',
        path: '/v1/turns/{turn_id}/events',
        operationId: 'followTurn',
        tags: ['turns'],
        summary: "Follow a turn's events",
        description: [
          'Sends all events from the start, or those after `Last-Event-ID`, then new ones as they happen. Ends with the turn.',
          'Each event is sent once. 204: no events follow `Last-Event-ID`.',
        ].join(' '),
        request: { params: parameters(turnParams), query: parameters(streamQuery), headers: parameters(streamHeaders) },
        responses: {
          200: {
            description: 'The events of the turn.',
            content: { 'text/event-stream': { schema: sent }, 'application/x-ndjson': { schema: turnEvent } },
          },
          204: { description: 'The turn has ended, and the client has received its last event.' },
          ...refusals(400, 404, 406, 429, 503),
        },
      },
      answer: (context) => follow(context, parts),
    },
  ];
}

async function follow(context: ApiContext, parts: RouteParts): Promise<Response> {
  const { redact, streams } = parts;
  const turnId = seenTurnId(context.env.caller, readValid(context, 'param', turnParams).turn_id);
  const { run, after: given } = readValid(context, 'query', streamQuery);
  // A browser that reconnects sends the header in addition to its first query.
  const after = readValid(context, 'header', streamHeaders)['last-event-id'] ?? given ?? 0;
  const format = formatFor(context.req.header('accept') ?? null);
  if (format === undefined) return refuse(notAcceptable, redact);
  const full = streams.refusalIfFull(context.env.caller.principal);
  if (full) return refuse(full, redact);
  const following = await (run === undefined ? parts.logs.follow(turnId) : findRecorded(turnId, run, parts));
  if (following === undefined) return unreadable(parts) ?? notThere(context, turnId, run, parts);
  return openStream(context, following, after, format, parts);
}

async function notThere(context: ApiContext, turnId: string, run: number | undefined, parts: RouteParts): Promise<Response> {
  const { refusal } = await parts.turns.status(turnId);
  return refuse(refusal ?? (await unknownTurn(context, turnId, run, parts)), parts.redact);
}

function openStream(
  context: ApiContext,
  { log, release }: Following,
  after: number,
  format: StreamFormat,
  { streams, redact }: RouteParts,
): Response {
  const nothingLeft = log.ended && log.placeAfter(after) >= log.events.length;
  const headers = { 'content-type': format.contentType, 'cache-control': 'no-store', 'x-accel-buffering': 'no' };
  // `fetch` never reads the body of a HEAD request; 204 stops a browser from reconnecting.
  const isHead = context.req.raw.method === 'HEAD';
  const { principal } = context.env.caller;
  const full = streams.refusalIfFull(principal);
  if (isHead || full || (nothingLeft && format !== jsonLines)) {
    release();
    if (isHead) return new Response(null, { headers });
    return full ? refuse(full, redact) : new Response(null, { status: 204, headers: { 'cache-control': 'no-store' } });
  }
  const body = streams.open((start) => eventStream({ log, after, format, ...start }), { release, principal });
  return new Response(body, { headers });
}

/** Finds a run by its number: the latest may still be running, the others have ended. */
async function findRecorded(turnId: string, run: number, { history, logs }: RouteParts): Promise<Following | undefined> {
  const found = await findTurn(history, turnId, run);
  if (found === undefined) return undefined;
  if (found.summary.state === 'running') return logs.follow(turnId);
  const log = new TurnLog(turnId, () => undefined);
  log.add(found.events);
  log.end();
  return { log, release: () => undefined };
}

export const notAcceptable: Refusal = {
  status: 406,
  error: {
    code: 'NOT_ACCEPTABLE',
    message: 'None of the accepted types is available for events',
    field: 'accept',
    allowed: 'text/event-stream or application/x-ndjson',
  },
};
