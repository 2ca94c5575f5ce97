/** Owns `POST /v1/turns/{turn_id}/what-if`. */
import { readBody } from '../body.ts';
import { accessOfCaller, seenTurnId } from '../may-act.ts';
import { type Refusal, refuse } from '../problem.ts';
import { turnParams } from '../schemas/turns.ts';
import { whatIfAnswer, whatIfRequest, whatIfQuery } from '../schemas/what-if.ts';
import { findTurn } from '../turns/find-turn.ts';
import { readChanges } from '../what-if/read-changes.ts';
import type { RouteParts } from './parts.ts';
import { type ApiContext, type ApiRoute, bytesAnswer, jsonAnswer, parameters, reference, refusals, readValid } from './route.ts';
import { unknownTurn, unreadable } from './turns.ts';

export const whatIfComponents: Readonly<Record<string, typeof whatIfRequest>> = { WhatIfRequest: whatIfRequest };

export function whatIfRoutes(parts: RouteParts): readonly ApiRoute[] {
  const body = { schema: reference('WhatIfRequest') };
  return [
    {
      config: {
        method: 'post',
        path: '/v1/turns/{turn_id}/what-if',
        operationId: 'askWhatIf',
        tags: ['turns'],
        summary: 'Replay a recorded turn under other settings',
        description: [
          'Replays a turn or a single call offline, in virtual time, with the recorded results of its tools; runs no tool.',
          'The results of attempts that were never made are unknown: `bounds` has the turn if all of them fail, and if all of them succeed.',
          '`ranges` are the limits of each figure for any mixture of the two.',
        ].join(' '),
        request: {
          params: parameters(turnParams),
          query: parameters(whatIfQuery),
          body: { required: true, content: { 'application/json': body, 'application/yaml': body } },
        },
        responses: {
          200: jsonAnswer(whatIfAnswer, 'The recorded turn and the replayed one.'),
          ...refusals(400, 404, 409, 413, 415, 422, 429, 503),
        },
      },
      answer: (context) => ask(context, parts),
    },
  ];
}

async function ask(context: ApiContext, parts: RouteParts): Promise<Response> {
  const { history, limits, redact, turnWork } = parts;
  const body = await readBody(context.req.raw, ['json', 'yaml'], limits);
  if (body.refusal) return refuse(body.refusal, redact);
  const turnId = seenTurnId(context.env.caller, readValid(context, 'param', turnParams).turn_id);
  const { run } = readValid(context, 'query', whatIfQuery);
  const found = await findTurn(history, turnId, run);
  if (found === undefined) return unreadable(parts) ?? refuse(await unknownTurn(context, turnId, run, parts), redact);
  const { events, summary } = found;
  if (summary.state === 'running') return refuse(stillRunning(turnId), redact);
  const read = readChanges(body, events, limits);
  if (read.refusal) return refuse(read.refusal, redact);
  const task = { kind: 'what_if', changes: read.changes } as const;
  const { owner } = accessOfCaller(context.env.caller);
  const reply = await turnWork.ask({ events, task, owner, signal: context.req.raw.signal });
  return reply.refusal ? refuse(reply.refusal, redact) : bytesAnswer(reply.bytes);
}

const stillRunning = (turnId: string): Refusal => ({
  status: 409,
  error: { code: 'TURN_RUNNING', message: `Turn '${turnId}' is still running`, hint: 'Retry when it has ended.' },
});
