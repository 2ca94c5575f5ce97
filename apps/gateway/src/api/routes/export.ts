/** Owns `GET /v1/turns/{turn_id}/export`: a turn as a file, in the forms that other programs read. */
import type { TraceEvent } from '@holdfast/core';
import { z } from '@hono/zod-openapi';
import { refuse } from '../problem.ts';
import { type ExportFormat, exportQuery } from '../schemas/export.ts';
import { turnEvent, turnParams } from '../schemas/turns.ts';
import { findTurn } from '../turns/find-turn.ts';
import type { RouteParts } from './parts.ts';
import { type ApiContext, type ApiRoute, bytesAnswer, parameters, refusals, validated } from './route.ts';
import { unknownTurn, unreadable } from './turns.ts';

export function exportRoutes(parts: RouteParts): readonly ApiRoute[] {
  const file = z
    .looseObject({})
    .openapi({ description: 'For `otlp` an ExportTraceServiceRequest, for `chrome` an object with `traceEvents`.' });
  return [
    {
      config: {
        method: 'get',
        path: '/v1/turns/{turn_id}/export',
        operationId: 'exportTurn',
        tags: ['turns'],
        summary: 'Download a turn for another program',
        description:
          'Arguments and results are in it as far as the trace has captured them. Of a turn that still runs, what has happened until now.',
        request: { params: parameters(turnParams), query: parameters(exportQuery) },
        responses: {
          200: {
            description: 'The file.',
            content: { 'application/json': { schema: file }, 'application/x-ndjson': { schema: turnEvent } },
          },
          ...refusals(400, 404, 422, 429, 503),
        },
      },
      answer: (context) => download(context, parts),
    },
  ];
}

async function download(context: ApiContext, parts: RouteParts): Promise<Response> {
  const { history, redact, turnWork } = parts;
  const { turn_id: turnId } = validated(context, 'param', turnParams);
  const { format, run } = validated(context, 'query', exportQuery);
  const found = await findTurn(history, turnId, run);
  if (found === undefined) return unreadable(parts) ?? refuse(await unknownTurn(turnId, run, parts), redact);
  const { events, summary } = found;
  const headers = { 'content-disposition': `attachment; filename="${fileName(turnId, summary.run, format)}"` };
  if (format === 'ndjson') {
    const body = context.req.raw.method === 'HEAD' ? null : lines(events);
    return new Response(body, {
      headers: { ...headers, 'content-type': 'application/x-ndjson; charset=utf-8', 'cache-control': 'no-store' },
    });
  }
  const reply = await turnWork.ask({ events, task: { kind: format }, signal: context.req.raw.signal });
  return reply.refusal ? refuse(reply.refusal, redact) : bytesAnswer(reply.bytes, headers);
}

const endings: Readonly<Record<ExportFormat, string>> = { otlp: 'otlp.json', chrome: 'chrome.json', ndjson: 'ndjson' };
const longestName = 80;

/** A turn's id may be any text, a model's too: of it only what no file system and no header reads in a way of its own. */
function fileName(turnId: string, run: number, format: ExportFormat): string {
  const safe = turnId.replaceAll(/[^\w-]+/g, '-').slice(0, longestName);
  return `holdfast-turn-${safe}-${run}.${endings[format]}`;
}

/** Some at a time, as they are taken. */
function lines(events: readonly TraceEvent[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let place = 0;
  return new ReadableStream(
    {
      pull(controller) {
        const part = events.slice(place, place + eventsAtOnce);
        place += part.length;
        if (part.length === 0) controller.close();
        else controller.enqueue(encoder.encode(part.map((event) => `${JSON.stringify(event)}\n`).join('')));
      },
    },
    { highWaterMark: 0 },
  );
}

const eventsAtOnce = 200;
