/** Owns `POST /v1/turns/{turn_id}/what-if`. */
import { readBody } from '../body.ts';
import { type Refusal, refuse } from '../problem.ts';
import { turnParams } from '../schemas/turns.ts';
import { whatIfAnswer, whatIfRequest, whichRun } from '../schemas/what-if.ts';
import { findTurn } from '../turns/find-turn.ts';
import { notReplayable } from '../turn-work/turn-work.ts';
import { readChanges } from '../what-if/read-changes.ts';
import type { RouteParts } from './parts.ts';
import { type ApiContext, type ApiRoute, bytesAnswer, jsonAnswer, parameters, reference, refusals, validated } from './route.ts';
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
        summary: 'What a recorded turn would have come to under other settings',
        description: [
          'Replays it offline, in virtual time, with what its tools were seen to do; runs no tool.',
          'Attempts that were never made are not known: `bounds` is the turn if all of them fail, and if all of them succeed;',
          '`ranges` is between what the truth lies, whatever mixture it is.',
        ].join(' '),
        request: {
          params: parameters(turnParams),
          query: parameters(whichRun),
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
  const { turn_id: turnId } = validated(context, 'param', turnParams);
  const { run } = validated(context, 'query', whichRun);
  const found = await findTurn(history, turnId, run);
  if (found === undefined) return unreadable(parts) ?? refuse(await unknownTurn(turnId, run, parts), redact);
  const { events, summary } = found;
  if (summary.state === 'running') return refuse(stillRunning(turnId), redact);
  if (events[0]?.event_type !== 'TurnStarted') return refuse(notReplayable(loneCall), redact);
  const read = readChanges(body, events, limits);
  if (read.refusal) return refuse(read.refusal, redact);
  const task = { kind: 'what_if', changes: read.changes } as const;
  const reply = await turnWork.ask({ events, task, signal: context.req.raw.signal });
  return reply.refusal ? refuse(reply.refusal, redact) : bytesAnswer(reply.bytes);
}

const loneCall = 'this is the trace of a single call, and only a turn can be replayed';

const stillRunning = (turnId: string): Refusal => ({
  status: 409,
  error: { code: 'TURN_RUNNING', message: `Turn '${turnId}' still runs`, hint: 'Ask again when it has ended.' },
});
