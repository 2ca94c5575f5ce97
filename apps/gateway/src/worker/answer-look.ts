/** Owns what a worker answers to anyone who looks at it: its health, and its measures. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerHealth, healthPaths } from '../api/health.ts';
import type { HealthParts } from '../api/parts.ts';

export interface LookParts {
  readonly health: HealthParts;
  readonly metrics: (request: Request) => Response;
}

/** The part of a request that is read, of either protocol. */
interface Looked {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
}

const pathOf = ({ url = '/' }: Looked): string => url.replace(/[?#].*$/s, '');

/** `undefined`: it is none of these. */
export async function answerLook(request: Looked, { health, metrics }: LookParts): Promise<Response | undefined> {
  const path = pathOf(request);
  if (path !== '/metrics' && !healthPaths.includes(path)) return undefined;
  const asked = new Request(`http://worker${path}`, { method: request.method === 'HEAD' ? 'HEAD' : 'GET' });
  return path === '/metrics' ? metrics(asked) : answerHealth(asked, health);
}

/** For anyone who speaks HTTP/1: there is nothing else for them. */
export async function respond(request: IncomingMessage, response: ServerResponse, parts: LookParts): Promise<void> {
  const answer =
    (await answerLook(request, parts)) ?? new Response('A worker answers at /healthz, /readyz and /metrics.\n', { status: 404 });
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(request.method === 'HEAD' ? undefined : await answer.text());
}
