/** Owns the routes about the gateway itself: health, readiness, upstreams, and the OpenAPI document. */
import type { Upstream, UpstreamList } from '../../contract.ts';
import { answerHealth } from '../health.ts';
import type { UpstreamFacts } from '../parts.ts';
import { documentSchema, healthSchema, readinessSchema, upstreamList } from '../schemas/operation.ts';
import type { RouteParts } from './parts.ts';
import { type ApiContext, type ApiRoute, json, jsonAnswer } from './route.ts';

/** `documentText` is called when the document is first requested. */
export function operationRoutes({ api, redact }: RouteParts, documentText: () => string): readonly ApiRoute[] {
  const health = (context: ApiContext): Response =>
    answerHealth(context.req.raw, { ...api, redact }) ?? new Response(null, { status: 404 });
  return [
    {
      config: {
        method: 'get',
        path: '/healthz',
        operationId: 'isHealthy',
        tags: ['operation'],
        summary: 'Check that the process responds',
        responses: { 200: jsonAnswer(healthSchema, 'The process responds.') },
      },
      answer: health,
    },
    {
      config: {
        method: 'get',
        path: '/readyz',
        operationId: 'isReady',
        tags: ['operation'],
        summary: 'Check that the gateway accepts work',
        description:
          'Not ready while it shuts down, or while all upstreams are down. A store that does not accept events is reported in `degraded`: calls run without it.',
        responses: {
          200: jsonAnswer(readinessSchema, 'The gateway is ready.'),
          503: jsonAnswer(readinessSchema, 'The gateway is not ready.'),
        },
      },
      answer: health,
    },
    {
      config: {
        method: 'get',
        path: '/v1/upstreams',
        operationId: 'listUpstreams',
        tags: ['operation'],
        summary: 'List the upstream MCP servers',
        responses: { 200: jsonAnswer(upstreamList, 'The upstream servers.') },
      },
      needs: 'read',
      answer: () => json({ upstreams: (api.upstreams?.() ?? []).map((facts) => upstreamOf(facts, redact)) } satisfies UpstreamList),
    },
    {
      config: {
        method: 'get',
        path: '/openapi.json',
        operationId: 'getDocument',
        tags: ['operation'],
        summary: 'Get this document',
        responses: { 200: jsonAnswer(documentSchema, 'OpenAPI 3.1.') },
      },
      answer: () => json(documentText()),
    },
  ];
}

function upstreamOf({ name, status }: UpstreamFacts, redact: (text: string) => string): Upstream {
  const { state, pid, protocolVersion, serverName, serverVersion, restarts, failures, lastError, retryAfterMs } = status;
  const { loginRequired, loginsMissing, withheldTools, stderrTail } = status;
  return {
    name,
    state,
    ...(pid === undefined ? {} : { pid }),
    ...(protocolVersion === undefined ? {} : { protocol_version: protocolVersion }),
    ...(serverName === undefined ? {} : { server_name: serverName }),
    ...(serverVersion === undefined ? {} : { server_version: serverVersion }),
    restarts,
    failures,
    ...(lastError === undefined ? {} : { last_error: redact(lastError) }),
    ...(loginRequired === undefined ? {} : { login_required: redact(loginRequired) }),
    ...(loginsMissing === undefined ? {} : { logins_missing: loginsMissing }),
    ...(withheldTools === undefined ? {} : { tools_withheld: Object.keys(withheldTools).length }),
    ...(retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs }),
    ...(stderrTail === undefined ? {} : { stderr_tail: redact(stderrTail) }),
  };
}
