/** Owns the routes of the history: the overview, a tool over time, its circuit's timeline, failure clusters. */
import type { FailureList } from '../../contract.ts';
import { noAlerts } from '../../alerts/no-alerts.ts';
import { jsonSteps } from '../../calls/json-in-slices.ts';
import type { History } from '../../history/history.ts';
import { inTurns, type Steps } from '../../plain/steps.ts';
import { notNow, refuse } from '../problem.ts';
import {
  circuitTimelineSchema,
  failureCluster,
  failureList,
  failureParams,
  failureQuery,
  overviewSchema,
  rangeQuery,
  toolHistorySchema,
} from '../schemas/history.ts';
import { toolParams } from '../schemas/tools.ts';
import { withTool } from '../tools/known-tools.ts';
import type { RouteParts } from './parts.ts';
import { type ApiRoute, json, jsonAnswer, parameters, refusals, readValid } from './route.ts';

const tags = ['history'];

export function historyRoutes(parts: RouteParts): readonly ApiRoute[] {
  return [overviewRoute(parts), toolHistoryRoute(parts), circuitRoute(parts), failuresRoute(parts), failureRoute(parts)];
}

function overviewRoute(parts: RouteParts): ApiRoute {
  return {
    config: {
      method: 'get',
      path: '/v1/overview',
      operationId: 'getOverview',
      tags,
      summary: 'Get an overview of all tools',
      responses: { 200: jsonAnswer(overviewSchema, 'The status of each tool, and recent activity.'), ...refusals(503) },
    },
    needs: 'read',
    answer: () => withPast(parts, async (past) => json(await inTurns(overviewText(past, parts)))),
  };
}

function* overviewText(past: History, { api }: RouteParts): Steps<string> {
  return yield* jsonSteps(yield* past.overview((api.alerts ?? noAlerts).active()));
}

function toolHistoryRoute(parts: RouteParts): ApiRoute {
  return {
    config: {
      method: 'get',
      path: '/v1/tools/{name}/history',
      operationId: 'getToolHistory',
      tags,
      summary: 'Get the history of a tool',
      request: { params: parameters(toolParams), query: parameters(rangeQuery) },
      responses: { 200: jsonAnswer(toolHistorySchema, 'The series of the tool.'), ...refusals(400, 404, 503) },
    },
    needs: 'read',
    answer: (context) =>
      withPast(parts, (past) =>
        withTool(context, parts, async ({ name }) => json(await past.toolHistory(name, readValid(context, 'query', rangeQuery).range))),
      ),
  };
}

function circuitRoute(parts: RouteParts): ApiRoute {
  return {
    config: {
      method: 'get',
      path: '/v1/tools/{name}/circuit',
      operationId: 'getCircuitTimeline',
      tags,
      summary: "Get the timeline of a tool's circuit",
      description: 'Each change includes the outcomes before it; the outcomes that caused it are `counted`.',
      request: { params: parameters(toolParams), query: parameters(rangeQuery) },
      responses: { 200: jsonAnswer(circuitTimelineSchema, 'The timeline of the circuit.'), ...refusals(400, 404, 503) },
    },
    needs: 'read',
    answer: (context) =>
      withPast(parts, (past) =>
        withTool(context, parts, async ({ name }) => json(await past.circuit(name, readValid(context, 'query', rangeQuery).range))),
      ),
  };
}

function failuresRoute(parts: RouteParts): ApiRoute {
  return {
    config: {
      method: 'get',
      path: '/v1/failures',
      operationId: 'listFailures',
      tags,
      summary: 'List clusters of similar failures, most recent first',
      request: { query: parameters(failureQuery) },
      responses: { 200: jsonAnswer(failureList, 'The most recent clusters.'), ...refusals(400, 503) },
    },
    needs: 'read',
    answer: (context) =>
      withPast(parts, (past) => json({ clusters: past.failures(readValid(context, 'query', failureQuery)) } satisfies FailureList)),
  };
}

function failureRoute(parts: RouteParts): ApiRoute {
  return {
    config: {
      method: 'get',
      path: '/v1/failures/{signature}',
      operationId: 'getFailure',
      tags,
      summary: 'Get a cluster of failures',
      request: { params: parameters(failureParams) },
      responses: { 200: jsonAnswer(failureCluster, 'The cluster.'), ...refusals(404, 503) },
    },
    needs: 'read',
    answer: (context) =>
      withPast(parts, (past) => {
        const cluster = past.failure(readValid(context, 'param', failureParams).signature);
        return cluster ? json(cluster) : refuse(unknownFailure, parts.redact);
      }),
  };
}

type Answer = Response | Promise<Response>;

function withPast({ api, redact }: RouteParts, answer: (past: History) => Answer): Answer {
  return api.past ? answer(api.past) : refuse(notNow(503, 'NO_HISTORY', 'This gateway keeps no history'), redact);
}

const unknownFailure = {
  status: 404,
  error: {
    code: 'UNKNOWN_FAILURE',
    message: 'There is no cluster with this signature, or it is no longer kept',
    field: 'signature',
    hint: 'List them with GET /v1/failures.',
  },
} as const;
