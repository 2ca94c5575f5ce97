/** Owns the routes of the history: the overview, a tool over time, its circuit's timeline, clusters of failures. */
import type { AnyTool } from '@holdfast/core';
import type { FailureList } from '../../contract.ts';
import { noAlerts } from '../../alerts/no-alerts.ts';
import type { History } from '../../history/history.ts';
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
import { findTool, unknownTool } from '../tools/known-tools.ts';
import type { RouteParts } from './parts.ts';
import { type ApiContext, type ApiRoute, json, jsonAnswer, parameters, refusals, validated } from './route.ts';

const tags = ['history'];

export function historyRoutes({ api, redact }: RouteParts): readonly ApiRoute[] {
  const withHistory = (answer: (past: History) => Response | Promise<Response>): Response | Promise<Response> =>
    api.past ? answer(api.past) : refuse(notNow(503, 'NO_HISTORY', 'This gateway keeps no history'), redact);
  const withTool = async (context: ApiContext, answer: (tool: AnyTool) => Response | Promise<Response>): Promise<Response> => {
    const { name } = validated(context, 'param', toolParams);
    const tool = await findTool(name, api);
    return tool ? answer(tool) : refuse(unknownTool(name, api), redact);
  };
  return [
    {
      config: {
        method: 'get',
        path: '/v1/overview',
        operationId: 'getOverview',
        tags,
        summary: 'Get the overview',
        responses: { 200: jsonAnswer(overviewSchema, 'The state of the tools, and what has happened lately.'), ...refusals(503) },
      },
      answer: () => withHistory((past) => json(past.overview((api.alerts ?? noAlerts).active()))),
    },
    {
      config: {
        method: 'get',
        path: '/v1/tools/{name}/history',
        operationId: 'getToolHistory',
        tags,
        summary: "Get a tool's history",
        request: { params: parameters(toolParams), query: parameters(rangeQuery) },
        responses: { 200: jsonAnswer(toolHistorySchema, 'Its time series.'), ...refusals(400, 404, 503) },
      },
      answer: (context) =>
        withHistory((past) =>
          withTool(context, async ({ name }) => json(await past.toolHistory(name, validated(context, 'query', rangeQuery).range))),
        ),
    },
    {
      config: {
        method: 'get',
        path: '/v1/tools/{name}/circuit',
        operationId: 'getCircuitTimeline',
        tags,
        summary: "Get the timeline of a tool's circuit",
        description: 'Each change lists the outcomes that the circuit had seen before. Those that caused the change are `counted`.',
        request: { params: parameters(toolParams), query: parameters(rangeQuery) },
        responses: { 200: jsonAnswer(circuitTimelineSchema, 'Its timeline.'), ...refusals(400, 404, 503) },
      },
      answer: (context) =>
        withHistory((past) =>
          withTool(context, async ({ name }) => json(await past.circuit(name, validated(context, 'query', rangeQuery).range))),
        ),
    },
    {
      config: {
        method: 'get',
        path: '/v1/failures',
        operationId: 'listFailures',
        tags,
        summary: 'List clusters of failures, the latest first',
        request: { query: parameters(failureQuery) },
        responses: { 200: jsonAnswer(failureList, 'The latest clusters.'), ...refusals(400, 503) },
      },
      answer: (context) =>
        withHistory((past) => json({ clusters: past.failures(validated(context, 'query', failureQuery)) } satisfies FailureList)),
    },
    {
      config: {
        method: 'get',
        path: '/v1/failures/{signature}',
        operationId: 'getFailure',
        tags,
        summary: 'Get the cluster of one signature',
        request: { params: parameters(failureParams) },
        responses: { 200: jsonAnswer(failureCluster, 'The cluster.'), ...refusals(404, 503) },
      },
      answer: (context) =>
        withHistory((past) => {
          const cluster = past.failure(validated(context, 'param', failureParams).signature);
          return cluster ? json(cluster) : refuse(unknownFailure, redact);
        }),
    },
  ];
}

const unknownFailure = {
  status: 404,
  error: {
    code: 'UNKNOWN_FAILURE',
    message: 'There is no failure with this signature, or it was last seen too long ago',
    field: 'signature',
    hint: 'GET /v1/failures lists all clusters.',
  },
} as const;
