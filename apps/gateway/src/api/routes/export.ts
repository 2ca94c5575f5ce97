/** Owns `GET /v1/turns/{turn_id}/export`: a turn as a file, in formats of other programs. */
import type { TraceEvent } from '@holdfast/core';
import { z } from '@hono/zod-openapi';
import { accessOfCaller, seenTurnId } from '../may-act.ts';
import { refuse } from '../problem.ts';
import { type ExportFormat, exportQuery } from '../schemas/export.ts';
import { turnEvent, turnParams } from '../schemas/turns.ts';
import { findTurn } from '../turns/find-turn.ts';
import type { RouteParts } from './parts.ts';
import { type ApiContext, type ApiRoute, bytesAnswer, parameters, refusals, readValid } from './route.ts';
import { unknownTurn, unreadable } from './turns.ts';

export function exportRoutes(parts: RouteParts): readonly ApiRoute[] {
  const file = z.looseObject({}).openapi({ description: '`otlp`: an ExportTraceServiceRequest. `chrome`: an object with `traceEvents`.' });
  return [
    {
      config: {
        method: 'get',
        path: '/v1/turns/{turn_id}/export',
        operationId: 'exportTurn',
        tags: ['turns'],
        summary: 'Export a turn in another format',
        description:
          'Contains arguments and results as far as the trace has captured them. For a running turn, contains the events until now.',
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
  const turnId = seenTurnId(context.env.caller, readValid(context, 'param', turnParams).turn_id);
  const { format, run } = readValid(context, 'query', exportQuery);
  const found = await findTurn(history, turnId, run);
  if (found === undefined) return unreadable(parts) ?? refuse(await unknownTurn(context, turnId, run, parts), redact);
  const { events, summary } = found;
  const headers = { 'content-disposition': `attachment; filename="${fileName(turnId, summary.run, format)}"` };
  if (format === 'ndjson') {
    const body = context.req.raw.method === 'HEAD' ? null : lines(events);
    return new Response(body, {
      headers: { ...headers, 'content-type': 'application/x-ndjson; charset=utf-8', 'cache-control': 'no-store' },
    });
  }
  const { owner } = accessOfCaller(context.env.caller);
  const reply = await turnWork.ask({ events, task: { kind: format }, owner, signal: context.req.raw.signal });
  return reply.refusal ? refuse(reply.refusal, redact) : bytesAnswer(reply.bytes, headers);
}

const endings: Readonly<Record<ExportFormat, string>> = { otlp: 'otlp.json', chrome: 'chrome.json', ndjson: 'ndjson' };
const maxNameLength = 80;

/** A turn id may be any text, even from a model: keeps only characters that are safe in file names and headers. */
function fileName(turnId: string, run: number, format: ExportFormat): string {
  const safe = turnId.replaceAll(/[^\w-]+/g, '-').slice(0, maxNameLength);
  return `holdfast-turn-${safe}-${run}.${endings[format]}`;
}

/** Serializes events in parts, as the client reads them. */
function lines(events: readonly TraceEvent[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let place = 0;
  return new ReadableStream(
    {
      pull(controller) {
        const part = events.slice(place, place + eventsPerChunk);
        place += part.length;
        if (part.length === 0) controller.close();
        else controller.enqueue(encoder.encode(part.map((event) => `${JSON.stringify(event)}\n`).join('')));
      },
    },
    { highWaterMark: 0 },
  );
}

const eventsPerChunk = 200;
