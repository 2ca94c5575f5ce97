/** Owns `POST /v1/calls`. */
import { findMissing } from '../../catalog/find-tool.ts';
import { accessOfCaller } from '../may-act.ts';
import { refuse } from '../problem.ts';
import { callRequest } from '../schemas/calls.ts';
import { callResult } from '../schemas/results.ts';
import { keyHeaders } from '../schemas/turns.ts';
import { directoryOf } from '../tools/known-tools.ts';
import { readPolicy } from '../turns/read-plan.ts';
import type { RouteParts } from './parts.ts';
import { type ApiRoute, json, jsonAnswer, parameters, readJson, reference, refusals, readValid } from './route.ts';

export function callRoutes({ api, calls, limits, redact, isAccepting }: RouteParts): readonly ApiRoute[] {
  return [
    {
      config: {
        method: 'post',
        path: '/v1/calls',
        operationId: 'runCall',
        tags: ['calls'],
        summary: 'Run one call of a tool',
        description: 'Every call is answered with 200 and its result, even if it fails or if the tool is unknown.',
        request: {
          headers: parameters(keyHeaders),
          body: { required: true, content: { 'application/json': { schema: reference('CallRequest') } } },
        },
        responses: { 200: jsonAnswer(callResult, 'The result of the call.'), ...refusals(400, 413, 415, 422, 429, 503) },
      },
      needs: 'call',
      answer: async (context) => {
        const body = await readJson(context.req.raw, callRequest, limits);
        if (body.refusal) return refuse(body.refusal, redact);
        const { value: request } = body;
        const read = readPolicy(request.policy, limits);
        if (read.refusal) return refuse(read.refusal, redact);
        const { caller } = context.env;
        const missing = await findMissing(request.tool_id, directoryOf(api), accessOfCaller(caller).allows);
        const answer = await calls.run(
          {
            request,
            policy: read.policy,
            idempotencyKey: readValid(context, 'header', keyHeaders)['idempotency-key'],
            caller,
            missing,
            signal: context.req.raw.signal,
          },
          isAccepting(),
        );
        return answer.refusal ? refuse(answer.refusal, redact) : json(answer.result);
      },
    },
  ];
}
