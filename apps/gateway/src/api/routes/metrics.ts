/** Owns `GET /metrics` in the OpenAPI document. The gateway answers the request itself, without loading this API. */
import { z } from '@hono/zod-openapi';
import { type Refusal, refuse } from '../problem.ts';
import type { RouteParts } from './parts.ts';
import { type ApiRoute, refusals } from './route.ts';

export function metricsRoutes({ api, redact }: RouteParts): readonly ApiRoute[] {
  const text = z.string().openapi({ description: 'One line per series.' });
  return [
    {
      config: {
        method: 'get',
        path: '/metrics',
        operationId: 'getMetrics',
        tags: ['operation'],
        summary: 'Get the metrics for Prometheus',
        description:
          'OpenMetrics 1.0 with exemplars if the client accepts it, else the text format. Requires a token if the manifest has tokens.',
        responses: {
          200: {
            description: 'The metrics.',
            content: { 'text/plain': { schema: text }, 'application/openmetrics-text': { schema: text } },
          },
          ...refusals(404),
        },
      },
      // Also guarded by the front, which compares paths as they were sent.
      needs: 'read',
      answer: ({ req: { raw } }) => api.metrics?.(raw) ?? refuse(noMetrics, redact),
    },
  ];
}

const noMetrics: Refusal = { status: 404, error: { code: 'NOT_FOUND', message: 'This gateway has no metrics' } };
