/** Owns the application: every route of the API, their OpenAPI document, and the answer when no route matches. */
import { suggest } from '@holdfast/core/internal/plain';
import { OpenAPIHono } from '@hono/zod-openapi';
import { type Refusal, refuse } from './problem.ts';
import { alertRoutes } from './routes/alerts.ts';
import { callRoutes } from './routes/calls.ts';
import { eventRoutes } from './routes/events.ts';
import { exportRoutes } from './routes/export.ts';
import { historyRoutes } from './routes/history.ts';
import { liveRoutes } from './routes/live.ts';
import { loginRoutes } from './routes/logins.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { operationRoutes } from './routes/operation.ts';
import type { RouteParts } from './routes/parts.ts';
import { addRoutes, type ApiApplication, type ApiContext, type ApiEnvironment, type ApiRoute } from './routes/route.ts';
import { sessionRoutes } from './routes/session.ts';
import { toolRoutes } from './routes/tools.ts';
import { turnRoutes } from './routes/turns.ts';
import { whatIfComponents, whatIfRoutes } from './routes/what-if.ts';
import { acknowledgeRequest, silenceRequest } from './schemas/alerts.ts';
import { callRequest } from './schemas/calls.ts';
import { loginRequest } from './schemas/logins.ts';
import { planSchemas } from './schemas/json-schemas.ts';
import { circuitRequest } from './schemas/tools.ts';

export function createApplication(parts: RouteParts): ApiApplication {
  const application: ApiApplication = new OpenAPIHono<ApiEnvironment>();
  let document: string | undefined;
  const documentText = (): string => (document ??= JSON.stringify(documentOf(application)));
  const routes = [
    ...turnRoutes(parts),
    ...eventRoutes(parts),
    ...whatIfRoutes(parts),
    ...exportRoutes(parts),
    ...callRoutes(parts),
    ...toolRoutes(parts),
    ...historyRoutes(parts),
    ...sessionRoutes(parts),
    ...alertRoutes(parts),
    ...liveRoutes(parts),
    ...loginRoutes(parts),
    ...metricsRoutes(parts),
    ...operationRoutes(parts, documentText),
  ];
  const { openAPIRegistry: registry } = application;
  for (const [name, schema] of Object.entries(planSchemas())) registry.registerComponent('schemas', name, schema);
  registry.register('CallRequest', callRequest);
  registry.register('CircuitRequest', circuitRequest);
  for (const [name, schema] of Object.entries(whatIfComponents)) registry.register(name, schema);
  registry.register('AcknowledgeRequest', acknowledgeRequest);
  registry.register('SilenceRequest', silenceRequest);
  registry.register('LoginRequest', loginRequest);
  addRoutes(application, routes, parts.redact);
  application.notFound((context) => refuse(noRoute(context, routes), parts.redact));
  application.onError(() => refuse(internal, parts.redact));
  return application;
}

const description = [
  'Runs turns and calls of the tools behind the gateway, and reports what happened and the state of the tools.',
  'Every error has the same shape, `Problem`. A gateway that other machines can reach requires a bearer token. It answers 401 without one, and 403 to an unknown Host or Origin.',
].join(' ');

function documentOf(application: ApiApplication): object {
  return application.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Holdfast Turn API', version: '1', description, license: { name: 'MIT' } },
    servers: [{ url: '/' }],
    tags: [
      { name: 'turns', description: 'Calls that may depend on each other, with one deadline.' },
      { name: 'calls', description: 'Single calls.' },
      { name: 'tools', description: 'The tools, their state and their circuits.' },
      { name: 'history', description: 'Tools over time, circuits, clusters of failures.' },
      { name: 'alerts', description: 'Alerts, silences and receivers.' },
      { name: 'operation', description: 'The gateway itself.' },
    ],
  });
}

/** A wrong method is answered differently from a wrong path. */
function noRoute(context: ApiContext, routes: readonly ApiRoute[]): Refusal {
  const { path, method } = context.req;
  const here = routes.filter(({ config }) => matches(config.path, path)).map(({ config }) => config.method.toUpperCase());
  if (here.length > 0) {
    const allow = (here.includes('GET') ? [...here, 'HEAD'] : here).join(', ');
    const error = { code: 'METHOD_NOT_ALLOWED', message: `${method} is not allowed here`, allowed: allow };
    return { status: 405, error, headers: { allow } };
  }
  const near = suggest(path, new Set(routes.map(({ config }) => config.path)));
  const error = { code: 'NOT_FOUND', message: `There is no route ${path}`, hint: 'GET /openapi.json lists all routes.' };
  return { status: 404, error: near === undefined ? error : { ...error, suggestion: near } };
}

function matches(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  return (
    wanted.length === given.length && wanted.every((step, index) => step === given[index] || (step.startsWith('{') && given[index] !== ''))
  );
}

const internal: Refusal = {
  status: 500,
  error: { code: 'INTERNAL_ERROR', message: 'Internal error of the gateway', hint: 'See its log for details, and please report it.' },
};
