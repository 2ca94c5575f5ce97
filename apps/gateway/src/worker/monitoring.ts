/** Owns the monitoring endpoints of a worker: health and metrics. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerHealth, healthPaths } from '../api/health.ts';
import type { HealthParts } from '../api/parts.ts';

export interface MonitoringParts {
  readonly health: HealthParts;
  readonly metrics: (request: Request) => Response;
}

/** The part of a request that is used, of both protocols. */
interface RequestLine {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
}

const pathOf = ({ url = '/' }: RequestLine): string => url.replace(/[?#].*$/s, '');

/** Resolves with `undefined` for other paths. */
export async function answerMonitoring(request: RequestLine, { health, metrics }: MonitoringParts): Promise<Response | undefined> {
  const path = pathOf(request);
  if (path !== '/metrics' && !healthPaths.includes(path)) return undefined;
  const asked = new Request(`http://worker${path}`, { method: request.method === 'HEAD' ? 'HEAD' : 'GET' });
  return path === '/metrics' ? metrics(asked) : answerHealth(asked, health);
}

/** Answers HTTP/1 requests, for which there are only these endpoints. */
export async function respond(request: IncomingMessage, response: ServerResponse, parts: MonitoringParts): Promise<void> {
  const answer =
    (await answerMonitoring(request, parts)) ?? new Response('A worker answers at /healthz, /readyz and /metrics.\n', { status: 404 });
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(request.method === 'HEAD' ? undefined : await answer.text());
}
