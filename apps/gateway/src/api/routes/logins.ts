/** Owns `/v1/logins`: logins to MCP servers, in the browser that asks for them. */
import { isAuthError } from '../../server-auth/auth-error.ts';
import type { LoginRefusal, Outcome } from '../../server-logins/server-logins.ts';
import { accessOfCaller } from '../may-act.ts';
import { notNow, type Refusal, refuse } from '../problem.ts';
import { begunLogin, endedLogin, loginList, loginParams, loginRequest, logoutQuery } from '../schemas/logins.ts';
import type { RouteParts } from './parts.ts';
import { type ApiContext, type ApiRoute, json, jsonAnswer, parameters, readJson, reference, refusals, readValid } from './route.ts';

const tags = ['operation'];

export function loginRoutes(parts: RouteParts): readonly ApiRoute[] {
  return [listRoute(parts), beginRoute(parts), endRoute(parts)];
}

type Logins = NonNullable<RouteParts['api']['logins']>;

const loginsOf = ({ api }: RouteParts): Logins => api.logins ?? noLogins;

const noServer = { refusal: { kind: 'unknown', message: 'No server of this gateway uses logins' } } as const;
const noLogins: Logins = {
  isNeeded: () => false,
  list: () => Promise.resolve({ logins: [] }),
  begin: () => Promise.resolve(noServer),
  end: () => Promise.resolve(noServer),
};

function listRoute(parts: RouteParts): ApiRoute {
  return {
    config: {
      method: 'get',
      path: '/v1/logins',
      operationId: 'listLogins',
      tags,
      summary: 'List the logins to MCP servers',
      description: 'A client without the role `read` or `operate` sees its own logins, and whether the gateway has its own.',
      responses: { 200: jsonAnswer(loginList, 'The logins.') },
    },
    answer: async ({ env: { caller } }) => json(await loginsOf(parts).list(accessOfCaller(caller))),
  };
}

function beginRoute(parts: RouteParts): ApiRoute {
  return {
    config: {
      method: 'post',
      path: '/v1/logins/{server}',
      operationId: 'beginLogin',
      tags,
      summary: 'Begin a login to an MCP server',
      description:
        'The login of the caller requires the role `call`, that of the gateway the role `operate`. The response sets a cookie: the login can be completed only in the browser that has it, within ten minutes.',
      request: {
        params: parameters(loginParams),
        body: { required: true, content: { 'application/json': { schema: reference('LoginRequest') } } },
      },
      responses: { 201: jsonAnswer(begunLogin, 'The login that waits for a person.'), ...refusals(400, 403, 404, 409, 413, 415, 422, 503) },
    },
    answer: async (context) => {
      const body = await readJson(context.req.raw, loginRequest, parts.limits);
      if (body.refusal) return refuse(body.refusal, parts.redact);
      const { server } = readValid(context, 'param', loginParams);
      const origin = context.req.raw.headers.get('origin') ?? undefined;
      const access = accessOfCaller(context.env.caller);
      return answered(
        parts,
        () => loginsOf(parts).begin(access, server, body.value, origin),
        ({ begun, cookie }) => {
          note(context, parts, `began a login to ${server}`);
          return json(begun, 201, { 'set-cookie': cookie });
        },
      );
    },
  };
}

function endRoute(parts: RouteParts): ApiRoute {
  return {
    config: {
      method: 'delete',
      path: '/v1/logins/{server}',
      operationId: 'endLogin',
      tags,
      summary: 'Log out of an MCP server',
      description:
        'Forgets the login, and has its tokens revoked if the authorization server can. That of another client, and that of the gateway, requires the role `operate`.',
      request: { params: parameters(loginParams), query: parameters(logoutQuery) },
      responses: { 200: jsonAnswer(endedLogin, 'What was done.'), ...refusals(400, 403, 404, 409, 503) },
    },
    answer: (context) => {
      const { server } = readValid(context, 'param', loginParams);
      const { principal = '' } = readValid(context, 'query', logoutQuery);
      const access = accessOfCaller(context.env.caller);
      return answered(
        parts,
        () => loginsOf(parts).end(access, server, principal),
        (ended) => {
          note(context, parts, `ended ${principal === '' ? 'the login' : `the login of ${principal}`} at ${server}`);
          return json(ended);
        },
      );
    },
  };
}

async function answered<Value>(
  { redact }: RouteParts,
  act: () => Promise<Outcome<Value>>,
  answer: (value: Value) => Response,
): Promise<Response> {
  try {
    const outcome = await act();
    return outcome.refusal === undefined ? answer(outcome.value) : refuse(refusalOf(outcome.refusal), redact);
  } catch (error) {
    if (!isAuthError(error)) throw error;
    if (error.code === 'AUTHORIZATION_SERVER_DOWN') return refuse(notNow(503, error.code, error.message), redact);
    return refuse({ status: 409, error: { code: error.code, message: error.message } }, redact);
  }
}

const kinds = {
  unknown: [404, 'SERVER_UNKNOWN'],
  forbidden: [403, 'ROLE_NEEDED'],
  other_origin: [409, 'OTHER_ADDRESS'],
  not_here: [409, 'NO_BROWSER_LOGIN'],
} as const;

function refusalOf({ kind, message }: LoginRefusal): Refusal {
  const [status, code] = kinds[kind];
  return { status, error: { code, message } };
}

/** Who has logged in or out is in the change log. */
function note({ env }: ApiContext, { api }: RouteParts, did: string): void {
  api.past?.note({ kind: 'operator_action', text: `${env.caller.principal ?? 'An operator'} ${did}` });
}
