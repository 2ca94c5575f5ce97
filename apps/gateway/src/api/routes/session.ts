/** Owns `GET /v1/session`: what the caller may do. */
import type { ClientSession } from '../../contract.ts';
import { version } from '../../plain/version.ts';
import { accessOfCaller, mayAct } from '../may-act.ts';
import { sessionSchema } from '../schemas/session.ts';
import type { RouteParts } from './parts.ts';
import { type ApiRoute, json, jsonAnswer } from './route.ts';

export function sessionRoutes({ api }: RouteParts): readonly ApiRoute[] {
  return [
    {
      config: {
        method: 'get',
        path: '/v1/session',
        operationId: 'getSession',
        tags: ['operation'],
        summary: 'Get the permissions of the caller',
        responses: { 200: jsonAnswer(sessionSchema, 'The permissions of the caller.') },
      },
      answer: ({ env: { caller } }) => {
        const { principal } = caller;
        const session: ClientSession = {
          can_act: mayAct(caller),
          roles: [...accessOfCaller(caller).roles],
          needs_token: api.needsToken ?? false,
          ...(api.logins?.isNeeded() === true ? { has_logins: true } : {}),
          ...(principal === undefined ? {} : { principal }),
          version,
        };
        return json(session);
      },
    },
  ];
}
